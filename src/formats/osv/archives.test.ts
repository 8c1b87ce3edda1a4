import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { often } from '../../../test/depth.ts'
import { type ArchiveItem, archiveLimits } from './archive.ts'
import { readTar } from './tar.ts'
import { inMemory, inPieces, makeTar, makeZip } from './test-archives.ts'
import { readZip } from './zip.ts'

const files = [
  { name: 'a.json', content: '{"id":"MAL-1"}' },
  { name: 'README.md', content: 'not a record' },
  { name: 'deep/er/b.json', content: `{"id":"MAL-2","details":"${'x'.repeat(5000)}"}` },
  { name: 'empty.json', content: '' },
  { name: '.git/c.json', content: '{}' },
]
const wanted = files.filter((_, i) => [0, 2, 3].includes(i)).map(({ name, content }) => [name, content])

function shown(items: ArchiveItem[]): unknown[] {
  return items.map((item) => (item.problem ? item.problem.code : [item.name, Buffer.from(item.bytes).toString()]))
}

function unzip(bytes: Buffer, limits = archiveLimits): unknown[] {
  return shown([...readZip(inMemory(bytes), limits)])
}

async function untar(bytes: Buffer, limits = archiveLimits, pieces = 700): Promise<unknown[]> {
  return shown(await Array.fromAsync(readTar(inPieces(bytes, pieces), limits)))
}

test('the feed files of an archive, and no others', async () => {
  assert.deepEqual(unzip(makeZip(files)), wanted)
  assert.deepEqual(unzip(makeZip(files, { zip64: true })), wanted)
  assert.deepEqual(
    unzip(Buffer.concat([makeZip(files).subarray(0, -2), Buffer.from([3, 0]), Buffer.from('end')])),
    wanted,
  )
  for (const pieces of [1, 511, 512, 513, 100_000])
    assert.deepEqual(await untar(makeTar(files), archiveLimits, pieces), wanted)
})

test('long names of both kinds, folders and links in a tar', async () => {
  const name = `${'long/'.repeat(40)}name.json`
  const pax = `${String(name.length + 10).length + name.length + 7} path=${name}\n`
  const tar = makeTar([
    { name: 'folder/', content: '', kind: '5' },
    { name: 'link.json', content: '', kind: '2' },
    { name: '././@LongLink', content: `${name}\0`, kind: 'L' },
    { name: 'cut', content: '1' },
    { name: 'PaxHeader', content: pax, kind: 'x' },
    { name: 'cut', content: '2' },
    { name: 'plain.json', content: '3' },
  ])
  assert.deepEqual(await untar(tar), [
    [name, '1'],
    [name, '2'],
    ['plain.json', '3'],
  ])
})

test('lies in an archive end in a problem', async () => {
  const zips: [string, Buffer][] = [
    ['truncated', Buffer.alloc(0)],
    ['truncated', Buffer.from('PK')],
    ['corrupt', makeZip(files, { crc: 1 })],
    ['corrupt', makeZip(files, { size: 3 })],
    ['corrupt', makeZip(files, { size: 3_000_000 })],
    ['corrupt', makeZip(files, { method: 9 })],
    ['corrupt', makeZip(files, { flags: 1 })],
    ['too-large', makeZip(files, { size: 0xfffffffe })],
  ]
  const renamed = makeZip(files)
  renamed.write('x', renamed.lastIndexOf('.git/c.json'))
  zips.push(['corrupt', renamed])
  for (const [code, bytes] of zips) assert.equal(unzip(bytes).at(-1), code)
  const tars: [string, Buffer][] = [
    ['truncated', Buffer.alloc(0)],
    ['truncated', makeTar(files).subarray(0, -1024)],
    ['too-large', makeTar([{ name: 'a.json', content: '1', size: 0o77777777777 }])],
    ['corrupt', makeTar([{ name: 'n', content: '1', kind: 'L', size: 1024 ** 2 }])],
    ['corrupt', Buffer.alloc(1024, 'x')],
  ]
  for (const [code, bytes] of tars) assert.equal((await untar(bytes)).at(-1), code)
})

test('an archive that is larger than it may be ends in a problem before it is unpacked', async () => {
  const bomb = { name: 'a.json', content: Buffer.alloc(1_000_000) }
  const limits = [
    { ...archiveLimits, fileBytes: 999_999 },
    { ...archiveLimits, totalBytes: 1_999_999 },
    { ...archiveLimits, files: 1 },
  ]
  for (const limit of limits) {
    assert.equal(unzip(makeZip([bomb, { ...bomb, name: 'b.json' }]), limit).at(-1), 'too-large')
    assert.equal((await untar(makeTar([bomb, { ...bomb, name: 'b.json' }]), limit)).at(-1), 'too-large')
  }
})

test('cut anywhere, an archive gives what came before, and a problem', async () => {
  const [zip, tar] = [makeZip(files), makeTar(files)]
  for (let end = 0; end < zip.length; end++) assert.equal(typeof unzip(zip.subarray(0, end)).at(-1), 'string', `${end}`)
  // Its end is marked by zeros, so the last of them may be missing.
  for (let end = 0; end <= tar.length - 1024; end += 61) {
    const items = await untar(tar.subarray(0, end))
    assert.equal(items.at(-1), 'truncated', `${end}`)
    assert.deepEqual(items.slice(0, -1), wanted.slice(0, items.length - 1))
  }
})

test('with bytes changed anywhere, an archive gives files as they were or a problem, and never throws', async () => {
  const [zip, tar] = [makeZip(files), makeTar(files)]
  const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 6 })
  const damaged = (bytes: Buffer, all: [number, number][]) => {
    const copy = Buffer.from(bytes)
    for (const [at, value] of all) copy[at % copy.length] = value
    return copy
  }
  await fc.assert(
    fc.asyncProperty(changes, async (all) => {
      const known = new Set(wanted.map(([, content]) => content))
      for (const item of unzip(damaged(zip, all)))
        assert.ok(typeof item === 'string' || known.has((item as string[])[1]!))
      for (const item of await untar(damaged(tar, all))) assert.ok(typeof item === 'string' || Array.isArray(item))
    }),
    { numRuns: often(500) },
  )
})
