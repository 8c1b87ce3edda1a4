import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readResult, sampleTool } from '../test-log.ts'

const tagged = (...tags: string[]) =>
  readResult({ tool: sampleTool('T', [{ id: 'R', properties: { tags } }]) }, { ruleId: 'R' })

test('CWE ids are written in one way', () => {
  const table: Record<string, string[]> = {
    'CWE-79': ['CWE-79'],
    'cwe-079': ['CWE-79'],
    'external/cwe/cwe-0079': ['CWE-79'],
    'CWE-327: Use of a Broken Algorithm': ['CWE-327'],
    'CWE:89': ['CWE-89'],
    CWE_22: ['CWE-22'],
    'CWE-0': [],
    'SCWE-12': [],
    79: [],
  }
  for (const [tag, cwes] of Object.entries(table)) assert.deepEqual(tagged(tag).cwes, cwes, tag)
})

test('OWASP ids are written in one way, with the year where it is given', () => {
  const table: Record<string, string[]> = {
    'OWASP-A03:2021 - Injection': ['A03:2021'],
    'A03:2021': ['A03:2021'],
    'OWASP-A1: Injection': ['A01'],
    'owasp-a10': ['A10'],
    'external/owasp/owasp-a1': ['A01'],
    'owasp-2021-a3': ['A03:2021'],
    'OWASP Top 10 A5:2017': ['A05:2017'],
    'OWASP-API3': ['API3'],
    'API3:2023': ['API3:2023'],
    'OWASP-LLM1:2025': ['LLM01:2025'],
    A1: [],
    'M2: something': [],
  }
  for (const [tag, owasp] of Object.entries(table)) assert.deepEqual(tagged(tag).owasp, owasp, tag)
})

test('taxa are followed into their taxonomy: by id, by index, by guid; of the result and of the rule', () => {
  const taxonomies = [
    { name: 'OWASP', guid: 'O-1', taxa: [{ id: 'A03:2021' }] },
    { name: 'CWE', guid: 'C-1', taxa: [{ id: '20' }, { id: '787', guid: 'T-787' }] },
  ]
  const rule = { id: 'R', relationships: [{ target: { index: 0, toolComponent: { index: 0 } }, kinds: ['superset'] }] }
  const finding = readResult(
    { tool: sampleTool('T', [rule]), taxonomies },
    {
      ruleId: 'R',
      taxa: [
        { id: '20', toolComponent: { name: 'CWE' } },
        { guid: 't-787', toolComponent: { guid: 'c-1' } },
        { id: '125', toolComponent: { name: 'CWE v4', index: 7 } },
      ],
    },
  )
  assert.deepEqual(finding.cwes, ['CWE-20', 'CWE-787', 'CWE-125'])
  assert.deepEqual(finding.owasp, ['A03:2021'])
})

test('advisories are those that the rule is named after, not those that it mentions', () => {
  const rule = {
    id: 'ANCHOREVULN_CVE-2019-18276_dpkg_bash',
    fullDescription: { text: 'Unlike CVE-2014-6271 this one.' },
  }
  assert.deepEqual(readResult({ tool: sampleTool('T', [rule]) }, { ruleId: rule.id }).vulnerabilityIds, [
    'CVE-2019-18276',
  ])
})
