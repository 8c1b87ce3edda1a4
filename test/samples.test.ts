import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { formats, headBytes } from '../src/formats/registry.ts'
import { readBytes } from '../src/formats/sarif/test-log.ts'
import { assertSound } from './lockfile-expectations.ts'

/** Documents that real tools wrote about small projects of our own, in the repository: see test/samples/README.md. */
const folder = join(import.meta.dirname, 'samples')
const bytesOf = (file: string) => readFileSync(join(folder, file))
const { inventories, logs }: Expected = JSON.parse(bytesOf('expected.json').toString())

type Expected = {
  inventories: Record<string, { format: string; packages: string[] }>
  /** Each result as rule:line. */
  logs: Record<string, string[]>
}

for (const [file, { format: id, packages }] of Object.entries(inventories)) {
  test(`${file} is read as its tool lists it`, () => {
    const bytes = bytesOf(file)
    const claimed = formats.filter((format) => format.recognises(bytes.subarray(0, headBytes), basename(file)))
    assert.equal(claimed[0]?.id, id)
    const reading = claimed[0]!.read([bytes.subarray(0, 500), bytes.subarray(500)], basename(file))
    assert.deepEqual(reading.problems, [])
    assert.deepEqual(reading.items.map(({ name, version }) => `${name}@${version}`).sort(), packages.toSorted())
    assertSound(reading, file)
  })
}

for (const [file, results] of Object.entries(logs)) {
  test(`${file} has the findings of its tool`, () => {
    const { findings, problems } = readBytes(bytesOf(file))
    assert.deepEqual(
      problems.filter(({ fatal }) => fatal),
      [],
    )
    assert.deepEqual(
      findings.map(({ ruleId, locations }) => `${ruleId}:${locations[0]!.startLine}`),
      results,
    )
  })
}
