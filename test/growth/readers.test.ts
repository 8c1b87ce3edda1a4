import { test } from 'node:test'
import { formats } from '../../src/formats/registry.ts'
import { sarif } from '../../src/formats/sarif/reader.ts'
import { semgrepResults } from '../../src/formats/semgrep-results/reader.ts'
import { semgrepDocument, semgrepFinding } from '../../src/formats/semgrep-results/test-results.ts'
import { toolReports } from '../../src/formats/tool-report/recognise-report.ts'
import { readToolReport } from '../../src/formats/tool-report/tool-report.ts'
import { documents } from './documents.ts'
import { fragments } from './fragments.ts'
import { assertNearLinear } from './measure.ts'

// Alone in its process: what others leave in memory would be in what is measured.

const size = 4 * 1024
const entries = 1_000

for (const format of formats) {
  const grown = documents[format.id]
  if (!grown) throw new Error(`test/growth/documents.ts has no document of the format ${format.id}`)
  // What a document of the format begins with, so that its reader gets to what follows.
  const heads = ['', ...(grown.heads ?? [])]
  test(`${format.id} is read in near-linear time, whatever is repeated`, () => {
    for (const head of heads) {
      for (const fragment of fragments) {
        const make = (length: number) => Buffer.from(head + fragment.repeat(Math.ceil(length / fragment.length)))
        assertNearLinear(size, make, (bytes) => format.read([bytes], ''))
      }
    }
  })

  test(`${format.id} is recognised in near-linear time, whatever is repeated`, () => {
    for (const head of heads) {
      for (const fragment of fragments) {
        const make = (length: number) => Buffer.from(head + fragment.repeat(Math.ceil(length / fragment.length)))
        assertNearLinear(size, make, (bytes) => format.recognises(bytes, grown.name))
      }
    }
  })

  for (const [what, write] of Object.entries(grown.whole)) {
    test(`${format.id} is read in near-linear time: ${what}`, () => {
      const make = (count: number) => Buffer.from(write(count))
      assertNearLinear(entries, make, (bytes) => format.read([bytes], grown.name))
    })
  }
}

for (const [what, write] of Object.entries(documents.sarif!.whole)) {
  test(`sarif is read in near-linear time: ${what}`, () => {
    const make = (count: number) => Buffer.from(write(count))
    assertNearLinear(entries, make, (bytes) => [...sarif.read(() => [bytes], 'a.sarif')].length)
  })
}

for (const report of toolReports) {
  const grown = documents[report.id]
  if (!grown) throw new Error(`test/growth/documents.ts has no document of the report ${report.id}`)
  for (const [what, write] of Object.entries(grown.whole)) {
    test(`${report.id} is read in near-linear time: ${what}`, () => {
      const make = (count: number) => Buffer.from(write(count))
      assertNearLinear(entries, make, (bytes) => [...readToolReport(report, () => [bytes], grown.name)].length)
    })
  }
}
test('semgrep-results are read in near-linear time', () => {
  const finding = (at: number) => semgrepFinding({ number: at, line: at + 1, check_id: `rule-${at % 100}` })
  const make = (count: number) =>
    Buffer.from(JSON.stringify(semgrepDocument(Array.from({ length: count }, (_, at) => finding(at)))))
  assertNearLinear(entries, make, (bytes) => [...semgrepResults.read(() => [bytes], 'results.json')].length)
})
