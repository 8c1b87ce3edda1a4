import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readResult, sampleTool } from '../test-log.ts'

const key = 'AKIAQ7RZ3EXAMPLE9K2B'
const at = (snippet: string) => [
  {
    physicalLocation: {
      artifactLocation: { uri: 'conf/app.yml' },
      region: { startLine: 4, snippet: { text: snippet } },
      contextRegion: { startLine: 3, snippet: { text: `# ours\n${snippet}` } },
    },
  },
]

test('a secret is nowhere in the finding, whatever part of the log shows it', () => {
  const finding = readResult(
    {
      tool: sampleTool('gitleaks', [
        {
          id: 'aws',
          shortDescription: { text: `Key like ${key}` },
          fullDescription: { text: `${key} is a key` },
          help: { text: `Match: ${key}` },
        },
      ]),
    },
    {
      ruleId: 'aws',
      message: { text: `aws has detected secret ${key} for file conf/app.yml.`, markdown: key },
      locations: [...at(`key: "${key}"`), { logicalLocations: [{ fullyQualifiedName: `conf.${key}` }] }],
      codeFlows: [
        {
          threadFlows: [
            { locations: [{ location: { ...at(`key: "${key}"`)[0], message: { text: `${key} enters` } } }] },
          ],
        },
      ],
      properties: { offender: key },
      fingerprints: { whole: `x:${key}` },
      partialFingerprints: {
        'SecretHash/v1': 'b94d27b9934d3e08a52e52d7da7dabfa',
        commitSha: '6d127980966808f7413935678e079dcd7fedf9c2',
      },
      suppressions: [{ kind: 'inSource', justification: `${key} is revoked` }],
    },
  )
  const shown = JSON.stringify(finding)
  assert.ok(!shown.includes(key), shown)
  assert.ok(!shown.includes('b94d27b9934d3e08'), 'a hash of the secret can be guessed')
  assert.equal(finding.secretHint, 'AKIA…')
  assert.equal(finding.message, 'aws has detected secret **** for file conf/app.yml.')
  assert.equal(finding.partialFingerprints.commitSha, '6d127980966808f7413935678e079dcd7fedf9c2')
})

test('short secrets give no hint', () => {
  const finding = readResult({ tool: sampleTool('gitleaks') }, { ruleId: 'pw', locations: at('hunter2') })
  assert.equal(finding.secretHint, '')
  assert.ok(!JSON.stringify(finding).includes('hunter'))
})

test('code findings about hard-coded credentials hide them as well', () => {
  const rule = { id: 'B105', properties: { tags: ['external/cwe/cwe-259'] } }
  const finding = readResult(
    { tool: sampleTool('Bandit', [rule]) },
    {
      ruleId: 'B105',
      message: { text: "Possible hardcoded password: 'correct horse'" },
      locations: at("password = 'correct horse'"),
    },
  )
  assert.equal(finding.product, 'code')
  assert.equal(finding.message, "Possible hardcoded password: '****'")
  assert.equal(finding.locations[0]?.snippet, '')
})

const tagged = [
  ['secret'],
  ['Secrets'],
  ['security/credentials'],
  ['hardcoded-password'],
  ['API-Key'],
  ['external/cwe/cwe-312'],
  ['CWE-798: Use of Hard-coded Credentials'],
  ['type:secret-detection'],
]
for (const tags of tagged) {
  test(`a rule that is tagged ${tags} shows no secret, whatever the tool`, () => {
    for (const place of ['rule', 'result']) {
      const rule = { id: 'r1', ...(place === 'rule' && { properties: { tags } }) }
      const finding = readResult(
        { tool: sampleTool('Some Linter', [rule]) },
        {
          ruleId: 'r1',
          message: { text: "Found password: hunter22 and 'correct horse', also as token is tr0ub4dor." },
          locations: at('login("correct horse", hunter22)'),
          ...(place === 'result' && { properties: { tags } }),
        },
      )
      const shown = JSON.stringify(finding)
      assert.doesNotMatch(shown, /hunter22|correct horse|tr0ub4dor/)
    }
  })
}

test('tags that only sound like secrets hide nothing', () => {
  for (const tag of ['tokenizer', 'secretary', 'keyboard', 'security', 'password-reset-flow', 'author']) {
    const rule = { id: 'r1', properties: { tags: [tag] } }
    const result = { ruleId: 'r1', message: { text: "Useless 'comparison'" }, locations: at('a == a') }
    const finding = readResult({ tool: sampleTool('Some Linter', [rule]) }, result)
    assert.equal(finding.locations[0]?.snippet, 'a == a', tag)
  }
})

test('the messages of other findings keep their code', () => {
  const finding = readResult(
    { tool: sampleTool('Semgrep OSS') },
    { ruleId: 'r', message: { text: "Useless 'comparison'" }, locations: at('a == a') },
  )
  assert.equal(finding.message, "Useless 'comparison'")
  assert.equal(finding.locations[0]?.snippet, 'a == a')
})

test('any token that a scanner quotes is hidden', () => {
  const token = fc.stringMatching(/^[A-Za-z0-9]{8}\d[A-Za-z][A-Za-z0-9]{12}$/)
  fc.assert(
    fc.property(token, fc.constantFrom('t = "%"', '%', "curl -H 'X: %'", 'pw=% # old'), (secret, line) => {
      const finding = readResult(
        { tool: sampleTool('TruffleHog') },
        {
          ruleId: 'r',
          message: { text: `Found ${secret}, see '${secret}'.` },
          locations: at(line.replace('%', secret)),
        },
      )
      assert.ok(!JSON.stringify(finding).includes(secret))
    }),
  )
})
