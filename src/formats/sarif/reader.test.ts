import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { often } from '../../../test/depth.ts'
import { sarif } from './reader.ts'
import { readBytes, readLog, sampleLog } from './test-log.ts'

const result = { ruleId: 'R', message: { text: 'Found.' } }

test('other versions of SARIF are refused, and told apart from what is not SARIF', () => {
  const table: { log: unknown; code: string; says: RegExp }[] = [
    {
      log: { version: '1.0.0', runs: [] },
      code: 'unsupported-version',
      says: /'1\.0\.0' is not supported, only 2\.1\.0/,
    },
    { log: { runs: [{ results: [result] }], version: '2.0.0' }, code: 'unsupported-version', says: /'2\.0\.0'/ },
    { log: { version: '2.0.0-csd.2.beta.2018-10-10' }, code: 'unsupported-version', says: /csd/ },
    { log: { version: '2.2', runs: [] }, code: 'unsupported-version', says: /'2\.2'/ },
    { log: { version: 2.1, runs: [] }, code: 'unsupported-version', says: /'2\.1'/ },
    { log: { runs: [] }, code: 'missing-version', says: /version/ },
    { log: { version: '2.1.0' }, code: 'missing-runs', says: /runs/ },
    { log: { version: '2.1.0', runs: { 0: {} } }, code: 'missing-runs', says: /runs/ },
    { log: { bomFormat: 'CycloneDX' }, code: 'not-sarif', says: /neither/ },
    { log: [], code: 'not-sarif', says: /object/ },
    { log: 'null', code: 'not-sarif', says: /object/ },
    { log: '', code: 'truncated', says: /./ },
    { log: '{"version": "2.1.0", "runs": [{"results": [{"ruleId": "R"}', code: 'truncated', says: /./ },
    { log: '{"version": "2.1.0", "runs": [{"results": [{"ruleId": "R"},]}]}', code: 'not-json', says: /./ },
  ]
  for (const { log, code, says } of table) {
    const { findings, problems } = readLog(log)
    assert.deepEqual(findings, [], JSON.stringify(log))
    assert.deepEqual(
      problems.map((problem) => [problem.code, problem.fatal]),
      [[code, true]],
      JSON.stringify(log),
    )
    assert.match(problems[0]!.detail, says)
  }
})

test('a log that says its version in its schema alone is taken, with a word about it', () => {
  const { findings, problems } = readLog({
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    runs: [{ results: [result] }],
  })
  assert.equal(findings.length, 1)
  assert.deepEqual(
    problems.map(({ code }) => code),
    ['missing-version'],
  )
})

test('no runs are not a problem', () => {
  for (const runs of [[], null]) assert.deepEqual(readLog({ version: '2.1.0', runs }), { findings: [], problems: [] })
})

test('what results refer to may come after them', () => {
  const rules = [{ id: 'R', name: 'Later', defaultConfiguration: { level: 'error' } }]
  const run = {
    results: [
      {
        ...result,
        locations: [{ physicalLocation: { artifactLocation: { index: 0 } } }],
        taxa: [{ index: 0, toolComponent: { index: 0 } }],
      },
    ],
    artifacts: [{ location: { uri: 'a.c' } }],
    taxonomies: [{ name: 'CWE', taxa: [{ id: '79' }] }],
    tool: { driver: { name: 'T', semanticVersion: '1.0', rules } },
  }
  const { findings } = readLog({ runs: [run], version: '2.1.0' })
  const [finding] = findings
  assert.deepEqual(
    [finding?.ruleName, finding?.level, finding?.locations[0]?.path, finding?.cwes, finding?.tool],
    ['Later', 'error', 'a.c', ['CWE-79'], { name: 'T', version: '1.0' }],
  )
})

test('runs keep apart, and findings say where in the log they stand', () => {
  const run = (name: string) => ({ tool: { driver: { name, rules: [{ id: 'R', name }] } }, results: [result, result] })
  const { findings } = readLog({ version: '2.1.0', runs: [run('one'), run('two')] })
  assert.deepEqual(
    findings.map(({ tool, ruleName, pointer }) => [tool.name, ruleName, pointer]),
    [
      ['one', 'one', '/runs/0/results/0'],
      ['one', 'one', '/runs/0/results/1'],
      ['two', 'two', '/runs/1/results/0'],
      ['two', 'two', '/runs/1/results/1'],
    ],
  )
})

test('only failures are findings; the others are counted', () => {
  const kinds = ['pass', 'fail', 'open', 'notApplicable', 'review', 'informational', 'pass', undefined, 'strange']
  const { findings, problems } = readLog(sampleLog({ results: kinds.map((kind) => ({ ...result, kind })) }))
  assert.equal(findings.length, 3)
  assert.deepEqual(
    problems.map(({ code, fatal, pointer }) => [code, fatal, pointer]),
    [['not-failures', false, '/runs/0/results']],
  )
  assert.match(problems[0]!.detail, /2 pass, 1 open, 1 notApplicable, 1 review, 1 informational/)
})

test('what a tool no longer finds is given as such', () => {
  const { findings } = readLog(
    sampleLog({
      results: [
        { ...result, baselineState: 'absent' },
        { ...result, baselineState: 'odd' },
      ],
    }),
  )
  assert.deepEqual(
    findings.map(({ baselineState }) => baselineState),
    ['absent', ''],
  )
})

test('results that say nothing are problems with a place, and do not stop the others', () => {
  const { findings, problems } = readLog(`{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "T"}}, "results": [
    {}, 7, null,
    {"ruleId": "R"}]}]}`)
  assert.equal(findings.length, 1)
  assert.deepEqual(
    problems.map(({ code, line, pointer }) => [code, line, pointer]),
    [
      ['empty-result', 2, '/runs/0/results/0'],
      ['empty-result', 2, '/runs/0/results/1'],
      ['empty-result', 2, '/runs/0/results/2'],
    ],
  )
})

test('a tool that failed is quoted: its first error, and where that is', () => {
  const where = { artifactLocation: { uri: 'file:///ci/7/bad%20one.js' }, region: { startLine: 3 } }
  const error = { level: 'error', message: { text: 'Parsing error:\n Unexpected token' } }
  const table: { invocation: object; says: string }[] = [
    { invocation: {}, says: '.' },
    {
      invocation: { toolExecutionNotifications: [{ message: { text: 'Slow.' } }, 7, error] },
      says: ': Parsing error: Unexpected token',
    },
    {
      invocation: { toolConfigurationNotifications: [{ ...error, locations: [{ physicalLocation: where }] }, error] },
      says: ': Parsing error: Unexpected token (/ci/7/bad one.js, line 3)',
    },
    { invocation: { toolExecutionNotifications: 'x', toolConfigurationNotifications: [null] }, says: '.' },
  ]
  for (const { invocation, says } of table) {
    const run = { invocations: [{ executionSuccessful: false, ...invocation }] }
    assert.deepEqual(
      readLog(sampleLog(run)).problems.map((problem) => problem.detail),
      [`The tool says that it did not run to its end${says}`],
    )
  }
})

test('a run that says nothing about the code is not taken for a clean one', () => {
  const table: { run: object; code: string }[] = [
    { run: { results: null }, code: 'no-results' },
    { run: { results: undefined }, code: 'no-results' },
    { run: { invocations: [{ executionSuccessful: false }] }, code: 'run-failed' },
    {
      run: { externalPropertyFileReferences: { results: [{ location: { uri: 'r.json' } }] } },
      code: 'results-elsewhere',
    },
  ]
  for (const { run, code } of table) {
    assert.deepEqual(
      readLog(sampleLog(run)).problems.map((problem) => problem.code),
      [code],
    )
  }
})

test('runs beyond the thousandth are left out, with a problem', () => {
  const runs = Array.from({ length: 1001 }, () => ({ results: [result] }))
  const { findings, problems } = readLog({ version: '2.1.0', runs })
  assert.equal(findings.length, 1000)
  assert.deepEqual(
    problems.map(({ code, pointer }) => [code, pointer]),
    [['too-many-runs', '/runs/1000']],
  )
})

test('the document is opened twice, and may come in pieces of any size', () => {
  const bytes = Buffer.from(JSON.stringify(sampleLog({ results: [result, { ...result, message: { text: 'Größe' } }] })))
  for (const size of [1, 7, 64]) {
    let opened = 0
    function* pieces() {
      opened += 1
      for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size)
    }
    const parts = [...sarif.read(pieces, '')]
    assert.deepEqual(
      parts.map(({ finding }) => finding?.message),
      ['Found.', 'Größe'],
    )
    assert.equal(opened, 2)
  }
})

test('a log is recognised by its head, not by its name', () => {
  const table: { head: string; name?: string; is: boolean }[] = [
    { head: '{"$schema": "https://json.schemastore.org/sarif-2.1.0.json"', is: true },
    { head: '\ufeff{ "version": "2.1.0", "runs": [', is: true },
    { head: '{"runs":[{"results":[', is: true },
    { head: '{"version":"1.0.0","runs":null', is: true },
    { head: '{"properties": {"long": "', name: 'x.sarif', is: true },
    { head: '{"bomFormat":"CycloneDX","version":1', is: false },
    { head: '<xml/>', name: 'x.sarif', is: false },
    { head: '[{"runs":[]', is: false },
    { head: '', is: false },
  ]
  for (const { head, name = '', is } of table) assert.equal(sarif.recognises(Buffer.from(head), name), is, head)
})

const seed = sampleLog({
  tool: {
    driver: {
      name: 'Trivy',
      version: '1',
      rules: [{ id: 'CVE-2020-1', name: 'Secret', help: { text: 'Package: x' }, properties: { tags: ['HIGH'] } }],
    },
    extensions: [{ name: 'e', rules: [{ id: 'X' }] }],
  },
  artifacts: [{ location: { uri: 'a.c', uriBaseId: 'R' } }],
  originalUriBaseIds: { R: { uri: 'file:///r/' }, S: { uri: 's/', uriBaseId: 'R' } },
  versionControlProvenance: [{ mappedTo: { uriBaseId: 'R' } }],
  invocations: [
    {
      executionSuccessful: true,
      ruleConfigurationOverrides: [{ descriptor: { id: 'X' }, configuration: { level: 'note' } }],
    },
  ],
  taxonomies: [{ name: 'CWE', taxa: [{ id: '79', guid: 'g' }] }],
  threadFlowLocations: [{ location: {} }],
  logicalLocations: [{ name: 'l' }],
  results: [
    {
      ruleId: 'CVE-2020-1',
      ruleIndex: 0,
      rule: { id: 'CVE-2020-1', toolComponent: { index: 0 } },
      message: { text: '{0} in npm package: x, version 1', arguments: ['a'] },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'a.c', uriBaseId: 'S', index: 0 },
            region: { startLine: 1, snippet: { text: 'k="v1"' } },
          },
          logicalLocations: [{ index: 0 }],
        },
      ],
      codeFlows: [{ threadFlows: [{ locations: [{ index: 0 }] }] }],
      fingerprints: { a: 'abcdefgh' },
      suppressions: [{ kind: 'inSource' }],
      taxa: [{ index: 0, toolComponent: { index: 0 } }],
      properties: { tags: ['x'], verified: true },
    },
  ],
})

/** Every place in a value, as the path to it. */
function placesIn(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([key, inner]) => placesIn(inner, [...path, key]))]
}

function replaced(value: unknown, [key, ...rest]: string[], by: unknown): unknown {
  if (key === undefined) return by
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>
  copy[key] = replaced(copy[key], rest, by)
  return copy
}

test('no value in any place makes the reader throw', () => {
  const anything = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom(
      '__proto__',
      'constructor',
      -1,
      1e308,
      2 ** 53,
      '',
      'file://',
      '%',
      '\u0000',
      'pkg:npm/x@',
      '['.repeat(50),
    ),
  )
  const change = fc.tuple(fc.constantFrom(...placesIn(seed)), anything)
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
      let log: unknown = seed
      for (const [path, by] of changes)
        if (path.reduce<unknown>((at, key) => (at as never)?.[key], log) !== undefined) log = replaced(log, path, by)
      const { findings, problems } = readLog(JSON.stringify(log), { identityKey: Buffer.alloc(32) })
      for (const { fingerprint } of findings) assert.match(fingerprint, /^[0-9a-f]{32}:\d+$/)
      for (const { code } of problems) assert.match(code, /^[a-z0-9-]+$/)
    }),
    { numRuns: often(2000) },
  )
})

test('no bytes in any place make the reader throw', () => {
  const bytes = Buffer.from(JSON.stringify(seed))
  const edit = fc.tuple(fc.nat(bytes.length - 1), fc.nat(255))
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 5 }), fc.nat(bytes.length), (edits, length) => {
      const broken = Buffer.from(bytes)
      for (const [at, byte] of edits) broken[at] = byte
      const { findings, problems } = readBytes(broken.subarray(0, length))
      assert.ok(findings.length === 0 || !problems.some(({ fatal }) => fatal), 'findings of a log that cannot be read')
    }),
    { numRuns: often(1000) },
  )
})

for (const results of [{}, { 0: { ruleId: 'a', message: { text: 'x' } } }, 'none', 7, true]) {
  test(`results that are ${JSON.stringify(results)} refuse the log`, () => {
    const log = { version: '2.1.0', runs: [{ tool: { driver: { name: 't' } }, results }] }
    const { findings, problems } = readLog(log)
    assert.deepEqual(findings, [])
    assert.deepEqual(
      problems.map(({ code, pointer, fatal }) => [code, pointer, fatal]),
      [['bad-results', '/runs/0/results', true]],
    )
  })
}

test('results that are null say that nothing was scanned', () => {
  const { problems } = readLog({ version: '2.1.0', runs: [{ tool: { driver: { name: 't' } }, results: null }] })
  assert.deepEqual(
    problems.map(({ code, fatal }) => [code, fatal]),
    [['no-results', false]],
  )
})
