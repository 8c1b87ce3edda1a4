import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readLog, readResult, sampleLog, sampleTool } from '../test-log.ts'
import { readContext, sentNames, writeContext } from './content.ts'

type Told = { snippet?: string; around?: string; sent?: [code: string, around: string] }

function read({ snippet, around, sent }: Told, more: object = {}, { tool = 'ESLint', key = '' } = {}) {
  const region = { startLine: 3, ...(snippet && { snippet: { text: snippet } }) }
  const contextRegion = around ? { startLine: 1, snippet: { text: around } } : undefined
  const physicalLocation = { artifactLocation: { uri: 'a.js' }, region, ...(contextRegion && { contextRegion }) }
  const partialFingerprints = sent ? { [sentNames.code]: sent[0], [sentNames.around]: sent[1] } : {}
  const result = { ruleId: 'r', locations: [{ physicalLocation }], partialFingerprints, ...more }
  return readResult({ tool: sampleTool(tool) }, result, key ? { identityKey: Buffer.from(key) } : {})
}

test('what is known of the code', () => {
  const hash = '[\\w-]{12}'
  const table: [what: string, told: Told, more: object, is: RegExp, lacksCode: boolean][] = [
    ['nothing', {}, {}, /^$/, true],
    ['its own code', { snippet: 'eval(x)' }, {}, /^=$/, false],
    ['its own code and lines around it', { snippet: 'eval(x)', around: 'a\neval(x)' }, {}, RegExp(`^=${hash}$`), false],
    ['lines around it alone', { around: 'a\neval(x)' }, {}, RegExp(`^${hash}\\.$`), false],
    ['hashes that were sent', { sent: ['code-hash', 'around-hash'] }, {}, RegExp(`^${hash}\\.${hash}$`), false],
    ['a fingerprint of the tool', {}, { fingerprints: { 'contextHash/v1': 'e6c1ad2b' } }, /^=$/, false],
    ['no place at all', {}, { locations: [] }, /^$/, false],
  ]
  for (const [what, told, more, is, lacksCode] of table) {
    const finding = read(told, more)
    assert.match(finding.context, is, what)
    assert.equal(finding.lacksCode, lacksCode, what)
  }
})

test('what is sent along, or shown around it, leaves the fingerprint as it is', () => {
  const bare = read({}).fingerprint
  assert.equal(read({ sent: ['code-hash', 'around-hash'] }).fingerprint, bare)
  assert.equal(read({ around: 'a\neval(x)' }).fingerprint, bare)
  assert.notEqual(read({ snippet: 'eval(x)' }).fingerprint, bare)
})

test('white space around and between does not count', () => {
  assert.equal(read({ around: 'a;\n  b( )' }).context, read({ around: 'a; b()' }).context)
  assert.notEqual(read({ around: 'a;' }).context, read({ around: 'b;' }).context)
})

test('of a secret nothing is told without a key, and with one only to whoever has it', () => {
  const about = { ruleId: 'no-hardcoded-password' }
  const told = { snippet: "'hunter2'", around: "password = 'hunter2'" }
  assert.equal(read(told, about).context, '')
  assert.equal(read(told, about).lacksCode, false)
  const [one, two] = ['one', 'two'].map((key) => read(told, about, { key }).context)
  assert.match(one!, /^=.{12}$/)
  assert.notEqual(one, two)
  assert.notEqual(one, read({ ...told }).context)
})

test('a context is read as it is written', () => {
  for (const content of [
    { code: '', around: '' },
    { code: '=', around: '' },
    { code: '=', around: 'abc' },
    { code: 'abc', around: '' },
    { code: 'abc', around: 'def' },
  ]) {
    assert.deepEqual(readContext(writeContext(content)), content)
  }
})

test('one notice for a log that points at code and has none', () => {
  const result = (startLine: number) => ({
    ruleId: 'r',
    message: { text: 'Found.' },
    locations: [{ physicalLocation: { artifactLocation: { uri: 'a.js' }, region: { startLine } } }],
  })
  const { problems } = readLog(sampleLog({ results: [result(1), result(2)] }))
  assert.deepEqual(
    problems.map(({ code, fatal, pointer }) => [code, fatal, pointer]),
    [['no-code', false, '/runs/0/results/0']],
  )
  assert.match(problems[0]!.detail, /\(2 results\).*command line/)
})
