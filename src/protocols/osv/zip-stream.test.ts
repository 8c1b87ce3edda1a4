import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readZip } from '../../../test/read-zip.ts'
import { type ZipEntry, zipStream } from './zip-stream.ts'

async function archiveOf(entries: ZipEntry[]): Promise<Buffer> {
  async function* batches() {
    for (let at = 0; at < entries.length; at += 1_000) yield entries.slice(at, at + 1_000)
  }
  return Buffer.concat(await Array.fromAsync(zipStream(batches())))
}

for (const count of [0, 1, 65_535]) {
  test(`an archive of ${count} files has them all, for other programs too`, async (t) => {
    const entries = Array.from({ length: count }, (_, n) => ({
      name: `a-${n}.json`,
      content: Buffer.from(`{"n":${n}}`),
    }))
    const archive = await archiveOf(entries)
    const files = readZip(archive)
    assert.equal(files.size, count)
    if (count > 0) assert.equal(files.get(`a-${count - 1}.json`)!.toString(), `{"n":${count - 1}}`)
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-zip-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    writeFileSync(join(folder, 'a.zip'), archive)
    const script = 'import sys,zipfile; n=zipfile.ZipFile(sys.argv[1]).namelist(); print(len(n), n[-1:])'
    const last = count > 0 ? `['a-${count - 1}.json']` : '[]'
    try {
      const said = execFileSync('python3', ['-c', script, join(folder, 'a.zip')]).toString()
      assert.equal(said.trim(), `${count} ${last}`)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      t.diagnostic('python3 is not installed, so no other program has read the archive')
    }
  })
}

test('files of every size come out as they went in, also where packing makes them longer', async () => {
  const sizes = [0, 1, 4_096, 4_097, 16_384, 200_000]
  const entries = sizes.flatMap((size) => [
    { name: `zeros-${size}`, content: Buffer.alloc(size) },
    { name: `random-${size}`, content: randomBytes(size) },
  ])
  const files = readZip(await archiveOf(entries))
  assert.equal(files.size, entries.length)
  for (const { name, content } of entries) assert.ok(files.get(name)!.equals(content), name)
})

test('the same files give the same bytes', async () => {
  const entries = [{ name: 'a.json', content: Buffer.from('{}') }]
  assert.deepEqual(await archiveOf(entries), await archiveOf(entries))
})
