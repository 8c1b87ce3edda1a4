import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readReport } from '../../tool-report/test-report.ts'
import type { Finding } from '../finding.ts'
import { readResult, sampleTool } from '../test-log.ts'

const groupOf = ({ fingerprint }: Finding) => fingerprint.slice(0, 32)

/** As Trivy writes a misconfiguration, whatever its check is called. */
function trivy(id: string, said = 'Specify at least 1 USER command'): Finding {
  const link = `[${id}](https://avd.aquasec.com/misconfig/${id.toLowerCase()})`
  const text = `Artifact: Dockerfile\nType: dockerfile\nVulnerability ${id}\nSeverity: HIGH\nMessage: ${said}\nLink: ${link}`
  return readResult(
    { tool: sampleTool('Trivy', [{ id, name: 'Misconfiguration' }]) },
    {
      ruleId: id,
      message: { text },
      locations: [{ physicalLocation: { artifactLocation: { uri: 'Dockerfile' }, region: { startLine: 1 } } }],
    },
  )
}

test('checks of Trivy are known by the names that they had before', () => {
  const table: [now: string, before: string, same: boolean][] = [
    ['DS-0002', 'DS002', true],
    ['KSV-0118', 'KSV118', true],
    ['KCV-0063', 'KCV0063', true],
    ['KSV-01010', 'AVD-KSV-01010', true],
    ['AWS-0086', 'AVD-AWS-0086', true],
    ['AWS-0086', 'AVD-AWS-0087', false],
    ['DS-0002', 'DS003', false],
  ]
  for (const [now, before, same] of table) {
    assert.equal(trivy(now).otherGroups.includes(groupOf(trivy(before))), same, `${now} ${before}`)
  }
  assert.ok(!trivy('DS-0002').otherGroups.includes(groupOf(trivy('DS002', 'Something else'))))
  assert.deepEqual(trivy('DS002').otherGroups, [])
})

test('a rule is known by the ids that its tool says it had', () => {
  const found = (id: string, deprecatedIds: string[]) =>
    readResult({ tool: sampleTool('Tester', [{ id, deprecatedIds }]) }, { ruleId: id, message: { text: 'Not safe.' } })
  assert.deepEqual(found('R2', ['R1', 'R2']).otherGroups, [groupOf(found('R1', []))])
  assert.deepEqual(found('R2', []).otherGroups, [])
  const quoting = (id: string, deprecatedIds: string[]) =>
    readResult(
      { tool: sampleTool('Tester', [{ id, deprecatedIds }]) },
      { ruleId: id, message: { text: `The rule ${id} says so.` } },
    )
  assert.deepEqual(quoting('eval', ['no-eval']).otherGroups, [groupOf(quoting('no-eval', []))])
})

test('a vulnerability is known by the ids that it has besides, and not by those that its text mentions', () => {
  const advisory = { id: 'GHSA-jf85-cpcp-j695', summary: 'x', details: 'As bad as CVE-2020-1111.' }
  const report = (group: object) => ({
    results: [
      {
        source: { path: 'package-lock.json' },
        packages: [
          {
            package: { name: 'lodash', version: '4.17.4', ecosystem: 'npm' },
            vulnerabilities: [advisory],
            groups: [group],
          },
        ],
      },
    ],
  })
  const read = (group: object) => readReport(report(group)).findings[0]!
  const before = read({ ids: ['GHSA-jf85-cpcp-j695'] })
  const now = read({ ids: ['GHSA-jf85-cpcp-j695'], aliases: ['CVE-2019-10744', 'GHSA-jf85-cpcp-j695'] })
  assert.deepEqual([now.ruleId, now.otherGroups], ['CVE-2019-10744', [groupOf(before)]])
  assert.deepEqual(before.otherGroups, [])
})
