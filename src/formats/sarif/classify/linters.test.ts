import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Finding } from '../finding.ts'
import { readResult, sampleTool } from '../test-log.ts'

type Case = { tool: string; rule: { id: string; properties?: object }; is: Partial<Finding> }

/** Linters say in the id of a rule, or in words of their own, what it is about. */
const cases: Case[] = [
  { tool: 'Biome', rule: { id: 'lint/security/noGlobalEval' }, is: { product: 'code', category: 'security' } },
  { tool: 'Biome', rule: { id: 'lint/suspicious/noDoubleEquals' }, is: { category: 'correctness' } },
  { tool: 'Biome', rule: { id: 'lint/complexity/noForEach' }, is: { category: 'maintainability' } },
  { tool: 'Biome', rule: { id: 'lint/style/useTemplate' }, is: { category: 'style' } },
  { tool: 'Biome', rule: { id: 'lint/security/noSecrets' }, is: { product: 'secrets', category: 'security' } },
  { tool: 'clang', rule: { id: 'security.insecureAPI.strcpy' }, is: { category: 'security' } },
  { tool: 'clang', rule: { id: 'unix.Malloc' }, is: { category: '' } },
  { tool: 'x', rule: { id: 'performance' }, is: { category: '' } },
  {
    tool: 'oxlint',
    rule: { id: 'eslint(curly)', properties: { category: 'pedantic' } },
    is: { category: 'best-practice' },
  },
  { tool: 'clippy', rule: { id: 'clippy::x', properties: { category: 'perf' } }, is: { category: 'performance' } },
  { tool: 'ESLint', rule: { id: 'no-secrets/no-secrets' }, is: { product: 'secrets', category: 'security' } },
  { tool: 'ESLint', rule: { id: 'sonarjs/hardcoded-secret-signatures' }, is: { product: 'secrets' } },
  { tool: 'ESLint', rule: { id: 'sonarjs/no-hardcoded-passwords' }, is: { product: 'code' } },
]

for (const { tool, rule, is } of cases) {
  test(`${tool}: ${rule.id}`, () => {
    const finding = readResult({ tool: sampleTool(tool, [rule]) }, { ruleId: rule.id })
    const seen = Object.fromEntries(Object.keys(is).map((key) => [key, finding[key as keyof Finding]]))
    assert.deepEqual(seen, is)
  })
}

for (const ruleId of ['no-secrets/no-secrets', 'sonarjs/no-hardcoded-passwords', 'lint/hardcoded_key']) {
  test(`what ${ruleId} quotes or points at is not shown`, () => {
    const region = { startLine: 4, snippet: { text: "const token = 'correcthorsebattery'" } }
    const finding = readResult(
      { tool: sampleTool('ESLint', [{ id: ruleId }]) },
      {
        ruleId,
        message: { text: 'Found a string with entropy 4.1 : "correcthorsebattery"' },
        locations: [{ physicalLocation: { artifactLocation: { uri: 'a.js' }, region } }],
      },
    )
    assert.equal(finding.message, 'Found a string with entropy 4.1 : "****"')
    assert.ok(!JSON.stringify(finding).includes('horse'))
  })
}

test('what a linter quotes is not shown where the log has no code either', () => {
  const message = { text: 'Found a string with entropy 4.1 : "correcthorsebattery"' }
  const finding = readResult({ tool: sampleTool('ESLint') }, { ruleId: 'no-secrets/no-secrets', message })
  assert.equal(finding.message, 'Found a string with entropy 4.1 : "****"')
})

test('of a secret that the tool hides itself, a title does not show the length', () => {
  const message = { text: `found private key: ${'*'.repeat(900)}` }
  assert.equal(
    readResult({ tool: sampleTool('secretlint') }, { ruleId: 'key', message }).title,
    'found private key: ****',
  )
})
