import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readLog, readResult, sampleLog, sampleTool } from '../test-log.ts'
import { stableFingerprint } from './fingerprint.ts'

type Spot = { uri?: string; line?: number; snippet?: string }

const at = ({ uri = 'src/a.js', line = 1, snippet }: Spot) => ({
  locations: [
    {
      physicalLocation: {
        artifactLocation: { uri },
        region: {
          startLine: line,
          startColumn: line,
          ...(snippet === undefined ? {} : { snippet: { text: snippet } }),
        },
      },
    },
  ],
})

const code = (spot: Spot, more: object = {}, tool = 'T') =>
  readResult({ tool: sampleTool(tool) }, { ruleId: 'R', ...at(spot), ...more }).fingerprint

test('lines that move, white space and the words of the message do not change who it is', () => {
  const before = code({ line: 4, snippet: 'eval( x )' }, { message: { text: 'Line 4 is bad' } })
  assert.equal(code({ line: 40, snippet: '\teval(x)\n' }, { message: { text: 'Line 40 is bad' } }), before)
})

test('the rule, the file, the code and the tool do', () => {
  const all = [
    code({ snippet: 'eval(x)' }),
    code({ snippet: 'eval(y)' }),
    code({ snippet: 'eval(x)', uri: 'src/b.js' }),
    code({ snippet: 'eval(x)' }, { ruleId: 'S' }),
    code({ snippet: 'eval(x)' }, {}, 'U'),
  ]
  assert.equal(new Set(all).size, all.length)
})

test('without code, the message counts, but for the line numbers in it', () => {
  const said = (text: string) => code({}, { message: { text } })
  assert.equal(said('Data from views.py:592 at line 12 is used'), said('Data from views.py:601 at line 9 is used'))
  assert.notEqual(said("'a' is unused"), said("'b' is unused"))
})

test('editions of a tool are one tool', () => {
  assert.equal(code({ snippet: 'x' }, {}, 'Semgrep OSS'), code({ snippet: 'x' }, {}, 'Semgrep PRO'))
})

test('a dependency stays the same finding through an update that does not mend it', () => {
  const found = (version: string, name = 'lodash') =>
    readResult(
      { tool: sampleTool('osv-scanner') },
      {
        ruleId: 'CVE-2021-23337',
        message: { text: `Package '${name}@${version}' is vulnerable to 'CVE-2021-23337'.` },
        partialFingerprints: { primaryLocationLineHash: `${version}-0123456789` },
        ...at({ uri: 'yarn.lock' }),
      },
    ).fingerprint
  assert.equal(found('4.17.19'), found('4.17.20'))
  assert.notEqual(found('4.17.19'), found('4.17.19', 'lodash-es'))
})

test("the tool's own fingerprint is gone by where it is a stable one", () => {
  const table: {
    what: string
    full?: Record<string, string>
    partial?: Record<string, string>
    is: string | undefined
  }[] = [
    { what: 'Semgrep', full: { 'matchBasedId/v1': 'abcdef_0' }, is: 'abcdef' },
    { what: 'Semgrep, not signed in', full: { 'matchBasedId/v1': 'requires login' }, is: undefined },
    {
      what: 'CodeQL',
      partial: { primaryLocationStartColumnFingerprint: '1234567', primaryLocationLineHash: '39fa2ee980eb94b0:1' },
      is: '39fa2ee980eb94b0',
    },
    {
      what: 'Gitleaks',
      partial: { commitSha: 'abcdef0123', email: 'a@b.example', date: '2024-01-01', author: 'somebody' },
      is: undefined,
    },
    { what: 'Flawfinder', full: { 'contextHash/v1': 'e6c1ad2b' }, is: 'e6c1ad2b' },
    {
      what: 'Qodana, two versions',
      partial: { 'equalIndicator/v2': 'newer-one', 'equalIndicator/v1': 'older-one' },
      is: 'older-one',
    },
    {
      what: 'full before partial',
      full: { own: 'full-value' },
      partial: { another: 'partial-value' },
      is: 'full-value',
    },
    { what: 'a file that changes', partial: { scanFileHash: 'abcdef0123', scanTagsHash: 'abcdef0123' }, is: undefined },
    { what: 'too short to tell anything', full: { id: '1' }, is: undefined },
  ]
  for (const { what, full = {}, partial = {}, is } of table)
    assert.equal(stableFingerprint(full, partial)?.value, is, what)
})

const matched = (number: number, snippet: string, more: object = {}, identityKey?: Uint8Array) =>
  readResult(
    { tool: sampleTool('Semgrep OSS') },
    {
      ruleId: 'no-eval',
      ...at({ uri: 'src/a.js', snippet }),
      fingerprints: { 'matchBasedId/v1': `${'5e'.repeat(64)}_${number}` },
      ...more,
    },
    identityKey === undefined ? {} : { identityKey },
  )

test('of a match neither its number nor its code is in the fingerprint, and its code is in the context', () => {
  const [one, two] = [matched(0, "eval('1+1')"), matched(1, 'eval(req.body.code)')]
  assert.equal(two.fingerprint, one.fingerprint)
  assert.notEqual(two.context, one.context)
  assert.equal(matched(7, "eval( '1+1' )").context, one.context)
  // The hash that release 0.2 gave it.
  assert.equal(one.formerGroup, '569e7eafbd9e49860118ce7952e22d47')
  assert.equal(two.formerGroup, '146aa2ef63b2df381a45a5d522352b19')
  assert.equal(matched(0, '').lacksCode, true)
})

test('of a match that is a secret the context tells something only to whoever has the key', () => {
  const about = { ruleId: 'generic.secrets.detected-key' }
  const told = (snippet: string, key?: number) =>
    matched(0, snippet, about, key === undefined ? undefined : Buffer.alloc(32, key)).context
  assert.equal(told('hunter2'), '')
  assert.notEqual(told('hunter2', 1), told('correct horse', 1))
  assert.notEqual(told('hunter2', 1), told('hunter2', 2))
})

test('of lines with equal code the number is not in the fingerprint, and what is around them is in the context', () => {
  const lineHash = (number: number, around: string) =>
    readResult(
      { tool: sampleTool('CodeQL') },
      {
        ruleId: 'js/sql-injection',
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: 'src/a.js' },
              region: { startLine: 3 },
              contextRegion: { startLine: 1, snippet: { text: around } },
            },
          },
        ],
        partialFingerprints: { primaryLocationLineHash: `39fa2ee980eb94b0:${number}` },
      },
    )
  const [one, two] = [lineHash(1, 'checked'), lineHash(2, 'unchecked')]
  assert.equal(two.fingerprint, one.fingerprint)
  assert.match(one.context, /^=./)
  assert.notEqual(two.context, one.context)
  assert.notEqual(two.formerGroup, one.formerGroup)
})

test('with it, code that is edited nearby stays the same finding', () => {
  const partialFingerprints = { primaryLocationLineHash: '39fa2ee980eb94b0:1' }
  assert.equal(code({ snippet: 'a' }, { partialFingerprints }), code({ snippet: 'b' }, { partialFingerprints }))
})

test('results in another order have the same fingerprints, all different', () => {
  const result = fc.record({
    ruleId: fc.constantFrom('A', 'B'),
    uri: fc.constantFrom('x.c', 'y.c'),
    line: fc.integer({ min: 1, max: 9 }),
    snippet: fc.constantFrom('f()', 'g()', undefined),
  })
  const log = fc
    .array(result, { maxLength: 30 })
    .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })))
  const prints = (results: readonly { ruleId: string; uri: string; line: number; snippet: string | undefined }[]) =>
    readLog(
      sampleLog({
        results: results.map(({ ruleId, uri, line, snippet }) => ({
          ruleId,
          message: { text: 'Found.' },
          ...at({ uri, line, ...(snippet === undefined ? {} : { snippet }) }),
        })),
      }),
    )
      .findings.map(({ fingerprint }) => fingerprint)
      .sort()
  fc.assert(
    fc.property(log, ([all, shuffled]) => {
      assert.deepEqual(prints(shuffled), prints(all))
      assert.equal(new Set(prints(all)).size, all.length)
    }),
  )
})

const leak = (secret: string, identityKey?: Uint8Array) =>
  readResult(
    { tool: sampleTool('gitleaks') },
    { ruleId: 'generic', ...at({ snippet: secret }), partialFingerprints: { 'secret/v1': secret.repeat(3) } },
    identityKey === undefined ? {} : { identityKey },
  ).fingerprint

test('without a key nothing of a secret can be worked out from its fingerprint', () => {
  assert.equal(leak('hunter2'), leak('correct horse'))
})

test('with a key another secret in the same place is another finding, and only who has the key can tell which', () => {
  const [one, two] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
  assert.equal(leak('hunter2', one), leak('hunter2', one))
  assert.notEqual(leak('hunter2', one), leak('correct horse', one))
  assert.notEqual(leak('hunter2', one), leak('hunter2', two))
})

test('what a tool writes in place of a secret is not taken for its code', () => {
  const read = (snippet: string, identityKey: Uint8Array) =>
    readResult({ tool: sampleTool('gitleaks') }, { ruleId: 'generic', ...at({ snippet }) }, { identityKey })
  const key = Buffer.alloc(32, 1)
  for (const hidden of ['REDACTED', 'TOKEN = "REDACTED"', 'ghp_a1b2c3...', 'AWS_KEY=********', 'ghp_…']) {
    assert.partialDeepStrictEqual(read(hidden, key), { context: '', hidesSecret: true }, hidden)
  }
  for (const shown of [
    'hunter2',
    'def f(password="x"): ...',
    '/**** password = "x" ****/',
    'get_redacted_password("x")',
  ]) {
    assert.partialDeepStrictEqual(read(shown, key), { context: '=', hidesSecret: false }, shown)
  }
  const { problems } = readLog(
    sampleLog({
      tool: sampleTool('gitleaks'),
      results: ['REDACTED', 'hunter2'].map((snippet) => ({ ruleId: 'generic', ...at({ snippet }) })),
    }),
    { identityKey: key },
  )
  assert.deepEqual(
    problems.map(({ code, fatal, pointer }) => [code, fatal, pointer]),
    [['hidden-secrets', false, '/runs/0/results/0']],
  )
})
