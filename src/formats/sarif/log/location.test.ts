import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readLog, readResult, sampleLog } from '../test-log.ts'

const at = (artifactLocation: object, region: object = {}) => ({
  locations: [{ physicalLocation: { artifactLocation, region } }],
})

type Case = { what: string; run?: object; location: object; root?: string; path: string }

const cases: Case[] = [
  { what: 'a base that nobody explains', location: { uri: 'src/a.c', uriBaseId: '%SRCROOT%' }, path: 'src/a.c' },
  {
    what: 'a base inside the root',
    run: { originalUriBaseIds: { REPOROOT: {}, SRCROOT: { uri: 'src/', uriBaseId: 'REPOROOT' } } },
    location: { uri: 'io/kb.c', uriBaseId: 'SRCROOT' },
    path: 'src/io/kb.c',
  },
  {
    what: 'an absolute base',
    run: { originalUriBaseIds: { ROOTPATH: { uri: 'file:///home/me/code/' } } },
    location: { uri: 'a/main.tf', uriBaseId: 'ROOTPATH' },
    path: 'a/main.tf',
  },
  {
    what: 'an absolute path below the root',
    run: { originalUriBaseIds: { '%SRCROOT%': { uri: 'file:///C:/code/' } } },
    location: { uri: 'file:///c:/code/a.cs' },
    path: 'a.cs',
  },
  {
    what: 'the checkout is wider than the base',
    run: {
      versionControlProvenance: [
        { repositoryUri: 'https://example.com/r', mappedTo: { uriBaseId: 'WORK', uri: 'repo/' } },
      ],
      originalUriBaseIds: { WORK: { uri: 'file:///build/' }, CODE: { uri: 'repo/src/', uriBaseId: 'WORK' } },
    },
    location: { uri: 'a.cs', uriBaseId: 'CODE' },
    path: 'src/a.cs',
  },
  {
    what: 'the folder in which the tool worked',
    run: { invocations: [{ executionSuccessful: true, workingDirectory: { uri: 'file:///C:/Code' } }] },
    location: { uri: 'file:///C:/Code/x/key.pem' },
    path: 'x/key.pem',
  },
  {
    what: 'the root that the caller knows',
    location: { uri: 'file:///ci/job/7/a.js' },
    root: '/ci/job/7',
    path: 'a.js',
  },
  {
    what: 'an absolute path of which nobody knows the root',
    location: { uri: 'file:///usr/bin/tflint' },
    path: '/usr/bin/tflint',
  },
  {
    what: 'bases that go round in a circle',
    run: { originalUriBaseIds: { A: { uri: 'a/', uriBaseId: 'B' }, B: { uri: 'b/', uriBaseId: 'A' } } },
    location: { uri: 'https://example.com/x', uriBaseId: 'A' },
    path: 'https://example.com/x',
  },
  {
    what: 'only an index into the artifacts',
    run: { artifacts: [{ location: { uri: 'zero.c' } }, { location: { uri: 'one%20.c', uriBaseId: 'X' } }] },
    location: { index: 1 },
    path: 'one .c',
  },
]

for (const { what, run = {}, location, root, path } of cases) {
  test(`path: ${what}`, () => {
    const finding = readResult(run, at(location, { startLine: 3 }), root === undefined ? {} : { root })
    assert.equal(finding.locations[0]?.path, path)
  })
}

test('regions: numbers from 1 on, an end that is not before the start, a short snippet', () => {
  const region = { startLine: 7, startColumn: 2, endLine: 3, snippet: { text: 'x'.repeat(900) } }
  const [place] = readResult({}, at({ uri: 'a.c' }, region)).locations
  assert.deepEqual(place, {
    path: 'a.c',
    startLine: 7,
    startColumn: 2,
    endLine: 7,
    endColumn: 0,
    snippet: 'x'.repeat(500),
  })

  const odd = { startLine: 0, startColumn: -1, endLine: 1.5, endColumn: '4', snippet: { text: 'requires login' } }
  const [none] = readResult({}, at({ uri: 'a.c' }, odd)).locations
  assert.deepEqual(none, { path: 'a.c', startLine: 0, startColumn: 0, endLine: 0, endColumn: 0, snippet: '' })
})

test('code flows give their length and their ends, through the shared locations of the run as well', () => {
  const physical = (uri: string, startLine: number) => ({
    physicalLocation: { artifactLocation: { uri }, region: { startLine } },
  })
  const finding = readResult(
    { threadFlowLocations: [{ location: physical('source.py', 1) }] },
    {
      codeFlows: [
        {
          threadFlows: [
            { locations: [{ index: 0 }, { location: physical('mid.py', 2) }, { location: physical('sink.py', 9) }] },
          ],
        },
      ],
    },
  )
  assert.equal(finding.codeFlow?.steps, 3)
  assert.deepEqual(
    finding.flow.map((step) => `${step.path}:${step.startLine}`),
    ['source.py:1', 'mid.py:2', 'sink.py:9'],
  )
  assert.deepEqual([finding.codeFlow?.first.path, finding.codeFlow?.first.startLine], ['source.py', 1])
  assert.deepEqual([finding.codeFlow?.last.path, finding.codeFlow?.last.startLine], ['sink.py', 9])
})

test('logical locations give their names, by index as well; a result may have no file at all', () => {
  const finding = readResult(
    { logicalLocations: [{ fullyQualifiedName: 'Ns.Type.Method()' }] },
    { locations: [{ logicalLocations: [{ index: 0 }, { name: 'short' }] }] },
  )
  assert.deepEqual(finding.logicalLocations, ['Ns.Type.Method()', 'short'])
  assert.deepEqual(finding.locations, [])
})

test('paths that are absolute draw one problem, unless some are below where the checkout is said to have been', () => {
  const results = ['file:///ci/7/a.js', 'file:///ci/7/b%20c.js', 'https://example.com/x'].map((uri) => ({
    ruleId: 'x',
    message: { text: 'Found.' },
    ...at({ uri }, { startLine: 1, snippet: { text: 'x()' } }),
  }))
  const { findings, problems } = readLog(sampleLog({ results }))
  assert.deepEqual(
    problems.map(({ code, fatal, pointer, detail }) => [code, fatal, pointer, /'\/ci\/7\/a\.js'.*'root'/.test(detail)]),
    [['absolute-paths', false, '/runs/0/results/0', true]],
  )
  assert.equal(findings.length, 3)

  const told = readLog(sampleLog({ results }), { root: '/ci/7' })
  assert.deepEqual(told.problems, [])
  assert.deepEqual(
    told.findings.map(({ locations }) => locations[0]?.path),
    ['a.js', 'b c.js', 'https://example.com/x'],
  )
  assert.deepEqual(readLog(sampleLog({ results: results.slice(2) })).problems, [])

  const wrong = readLog(sampleLog({ results }), { root: '/home/me' })
  assert.deepEqual(
    wrong.problems.map(({ code, detail }) => [code, /none is below the root '\/home\/me'/.test(detail)]),
    [['absolute-paths', true]],
  )
  const header = { ruleId: 'x', message: { text: 'Found.' }, ...at({ uri: 'file:///usr/include/a.h' }) }
  assert.deepEqual(readLog(sampleLog({ results: [header, ...results] }), { root: '/ci/7' }).problems, [])
})

const mentions: [message: string, root: string, is: string][] = [
  ["Cannot find '/ci/7/src/a.js' from /ci/7/b.js.", '/ci/7', "Cannot find 'src/a.js' from b.js."],
  ['See file:///ci/7/a.js (/ci/7/a.js:3)', '/ci/7/', 'See a.js (a.js:3)'],
  ['In C:/code/a.cs', 'C:\\code', 'In a.cs'],
  ['my/src/a.js, /srcs/a.js, /src', '/src', 'my/src/a.js, /srcs/a.js, /src'],
  ['a (b+c) /x(1)+/d.js', '/x(1)+', 'a (b+c) d.js'],
  ['/a/b', '/', '/a/b'],
]

for (const [message, root, is] of mentions) {
  test(`files that a message mentions: ${message}`, () => {
    assert.equal(readResult({}, { message: { text: message } }, { root }).message, is)
  })
}

test('a finding known by its message is the same wherever the checkout was', () => {
  const from = (root: string) =>
    readResult({}, { ruleId: 'x', message: { text: `Parse error in ${root}/a.js` }, ...at({ uri: 'b.js' }) }, { root })
  assert.equal(from('/ci/7').fingerprint, from('/home/me/code').fingerprint)
})

test('of a long code flow the first steps and the last are kept', () => {
  const step = (startLine: number) => ({
    location: { physicalLocation: { artifactLocation: { uri: 'a.py' }, region: { startLine } } },
  })
  const locations = Array.from({ length: 120 }, (_, index) => step(index + 1))
  const { flow, codeFlow } = readResult({}, { codeFlows: [{ threadFlows: [{ locations }] }] })
  assert.equal(codeFlow?.steps, 120)
  assert.deepEqual([flow.length, flow[48]?.startLine, flow[49]?.startLine], [50, 49, 120])
})
