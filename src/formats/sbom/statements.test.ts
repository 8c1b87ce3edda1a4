import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readString } from '../../../test/lockfile-suite.ts'
import { cyclonedxXml } from '../cyclonedx-xml/reader.ts'
import { createStatements } from './statements.ts'

test('statements are bounded in number, each in size, and all of them in size', () => {
  const many = createStatements()
  for (let i = 0; i < 20_010; i++) many.add({ id: `CVE-${i}` })
  assert.equal(many.list().length, 20_000)
  assert.match(many.problems()[0]?.detail ?? '', /^10 statements/)

  const long = createStatements()
  long.add({ id: 'a', detail: 'x'.repeat(70_000) })
  for (let i = 0; i < 600; i++) long.add({ id: 'b', detail: 'x'.repeat(60_000) })
  assert.ok(long.list().length < 600)
  assert.ok(long.list().reduce((sum, { document }) => sum + document.length, 0) <= 32 * 1024 * 1024)
  assert.equal(long.list()[0]?.vulnerability, 'b')
})

test('what no answer takes is replaced, what only looks like it is not', () => {
  const statements = createStatements()
  statements.add({ id: 'a', detail: '\0 \ud800 \\u0000 \\\0 😀' })
  assert.deepEqual(JSON.parse(statements.list()[0]!.document).detail, '\ufffd \ufffd \\u0000 \\\ufffd 😀')
})

test('statements in XML have the shape of those in JSON', () => {
  const { statements } = readString(
    cyclonedxXml,
    `<bom xmlns="http://cyclonedx.org/schema/bom/1.5"><components>
      <component type="library" bom-ref="a"><name>a</name><version>1</version><purl>pkg:npm/a@1</purl></component>
    </components><vulnerabilities><vulnerability bom-ref="v">
      <id>CVE-2024-1</id><source><name>NVD</name></source>
      <ratings><rating><severity>high</severity></rating></ratings><cwes><cwe>79</cwe></cwes>
      <analysis><state>not_affected</state><justification>code_not_present</justification>
        <responses><response>update</response></responses></analysis>
      <affects><target><ref>a</ref></target></affects>
    </vulnerability></vulnerabilities></bom>`,
  )
  assert.equal(statements?.length, 1)
  const { document, ...rest } = statements![0]!
  assert.deepEqual(rest, {
    vulnerability: 'CVE-2024-1',
    state: 'not_affected',
    justification: 'code_not_present',
    affects: ['a'],
  })
  assert.deepEqual(JSON.parse(document), {
    'bom-ref': 'v',
    id: 'CVE-2024-1',
    source: { name: 'NVD' },
    ratings: [{ severity: 'high' }],
    cwes: ['79'],
    analysis: { state: 'not_affected', justification: 'code_not_present', response: ['update'] },
    affects: [{ ref: 'a' }],
  })
})
