import assert from 'node:assert/strict'
import { globSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { test } from 'node:test'
import { realData, withoutRealData } from '../../test/real-data.ts'
import { formats, headBytes, recogniseFormat } from './registry.ts'
import { toolReports } from './tool-report/recognise-report.ts'

test('every reader of dependencies is in the registry, under the name of its folder', () => {
  const folders = globSync('*/reader.ts', { cwd: import.meta.dirname }).map((file) => dirname(file))
  const ofFindings = ['sarif', 'semgrep-results', ...toolReports.map(({ id }) => id)]
  const expected = folders.filter((folder) => !ofFindings.includes(folder))
  assert.deepEqual(formats.map((format) => format.id).sort(), expected.sort())
})

const data = realData()

test('no real document is claimed by two formats, and its name changes nothing', {
  skip: data ? false : withoutRealData,
}, () => {
  let recognised = 0
  for (const file of globSync('{lockfiles,sbom}/**/*', { cwd: data })) {
    if (!statSync(join(data!, file)).isFile()) continue
    const head = readFileSync(join(data!, file)).subarray(0, headBytes)
    const claimed = formats.filter((format) => format.recognises(head, '')).map(({ id }) => id)
    assert.ok(claimed.length <= 1, `${file}: ${claimed}`)
    if (claimed.length === 0) continue
    recognised++
    assert.equal(recogniseFormat(head, basename(file))?.id, claimed[0], file)
    assert.equal(recogniseFormat(head, 'package-lock.json')?.id, claimed[0], file)
  }
  assert.ok(recognised > 600, `${recognised} are recognised`)
})
