import assert from 'node:assert/strict'
import { globSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { after, before, test } from 'node:test'
import { isDeep } from '../../../../test/depth.ts'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { realData, withoutRealData } from '../../../../test/real-data.ts'
import { ecosystems } from '../../../ecosystems/registry.ts'
import { headBytes, recogniseFormat } from '../../../formats/registry.ts'
import { inventoryOf, upload } from '../test-upload.ts'

const data = realData()
const skip = data ? false : withoutRealData

let gatehouse: TestGatehouse
before(async () => {
  if (data) gatehouse = await openGatehouse()
})
after(() => gatehouse?.close())

/** What a reader makes of the file, and of the go.mod beside it, as the inventory should have it. */
function expected(path: string, content: Buffer, goMod: Buffer | undefined): string[] | undefined {
  const format = recogniseFormat(content.subarray(0, headBytes), path)
  const reading = format?.read([content], basename(path), { goMod: goMod && [goMod] })
  if (!reading || reading.problems.some((problem) => problem.fatal)) return undefined
  return reading.items
    .filter(({ name, version }) => name !== '' && name.length <= 500 && version.length <= 200)
    .map(({ ecosystem, name, version }) => `${ecosystem} ${ecosystems[ecosystem].normalizeName(name)} ${version}`)
}

function goModBeside(path: string, files: Record<string, Buffer>): Buffer | undefined {
  return path.endsWith('/go.sum') ? files[path.replace(/go\.sum$/, 'go.mod')] : undefined
}

for (const kind of ['lockfiles', 'sbom']) {
  test(`every real document among the ${kind} is in the inventory as its reader read it`, { skip }, async () => {
    const all = globSync(`${kind}/**/*`, { cwd: data }).filter((path) => statSync(join(data!, path)).isFile())
    // Parts of 60, so that what lies beside each other stays together.
    const paths = all.filter((_, at) => isDeep || Math.floor(at / 60) % 3 === 0)
    let documents = 0
    for (let at = 0; at < paths.length; at += 60) {
      const files = Object.fromEntries(paths.slice(at, at + 60).map((path) => [path, readFileSync(join(data!, path))]))
      const wanted = new Map(
        Object.entries(files).map(([path, content]) => [path, expected(path, content, goModBeside(path, files))]),
      )
      const repository = `real/${kind}-${at}`
      const answer = await upload(gatehouse, { repository }, files)
      assert.equal(answer.status, 200, JSON.stringify(answer.body).slice(0, 2000))
      const stored = Map.groupBy(await inventoryOf(gatehouse, repository), (row) => row.path)
      for (const file of answer.body.files) {
        const rows = (stored.get(file.path) ?? []).map((row) => `${row.ecosystem} ${row.name} ${row.version}`)
        const items = wanted.get(file.path)
        if (file.status === 'FILE_STATUS_READ') documents++
        if (items) assert.equal(file.status, 'FILE_STATUS_READ', file.path)
        if (items) assert.deepEqual(rows, items, file.path)
        assert.equal(file.dependencies, rows.length, file.path)
      }
    }
    assert.ok(documents > (isDeep ? 300 : 90), `${documents} documents were read`)
  })
}
