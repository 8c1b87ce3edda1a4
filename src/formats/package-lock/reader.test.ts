import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertSurvivesDamage, hostileDocuments } from '../../../test/hostile-documents.ts'
import { assertAgrees, osvDetectorCases, referenceCases, scalibrCases } from '../../../test/lockfile-expectations.ts'
import { realData, withoutRealData } from '../../../test/real-data.ts'
import type { InventoryItem } from '../format.ts'
import { packageLock } from './reader.ts'

const data = realData()

function read(document: unknown) {
  return packageLock.read([Buffer.from(typeof document === 'string' ? document : JSON.stringify(document))], '')
}

/** The only package, as the given members of an entry make it. */
function only(document: unknown): InventoryItem {
  const { items, problems } = read(document)
  assert.deepEqual(problems, [])
  assert.equal(items.length, 1)
  return items[0]!
}

const root = { name: 'app', dependencies: { a: '^1.0.0' } }

test('reads an entry of version 3', () => {
  const entry = { version: '1.2.3', resolved: 'https://u:p@r.example/a.tgz', license: 'MIT' }
  const document = { lockfileVersion: 3, packages: { '': root, 'node_modules/a': entry } }
  assert.deepEqual(only(document), {
    key: 'node_modules/a',
    ecosystem: 'npm',
    name: 'a',
    version: '1.2.3',
    transitivity: 'DIRECT',
    development: false,
    licence: 'MIT',
    resolved: 'https://r.example/a.tgz',
    dependsOn: [],
    line: 1,
  })
})

const packageRules: [rule: string, entry: object, expected: Partial<InventoryItem>][] = [
  ['an alias has the real name', { version: '1.0.0', name: '@s/real' }, { name: '@s/real', version: '1.0.0' }],
  ['development only', { version: '1.0.0', dev: true }, { development: true }],
  ['optional and development', { version: '1.0.0', devOptional: true }, { development: false }],
  [
    'a git dependency without version',
    { resolved: 'git+ssh://git@h.example/a.git#1' },
    { version: '', resolved: 'git+ssh://h.example/a.git#1' },
  ],
  ['an archive in a folder', { version: '2.0.0', resolved: 'file:vendor/a.tgz' }, { version: '2.0.0' }],
  ['an old licence', { version: '1.0.0', license: { type: 'BSD', url: 'x' } }, { licence: 'BSD' }],
  ['a choice of licences', { version: '1.0.0', licenses: [{ type: 'MIT' }, 'ISC'] }, { licence: 'MIT OR ISC' }],
  ['a bundled package', { version: '1.0.0', inBundle: true }, { version: '1.0.0' }],
]

test('follows the rules for entries of version 2 and 3', () => {
  for (const [rule, entry, expected] of packageRules) {
    const item = only({ lockfileVersion: 2, packages: { '': root, 'node_modules/a': entry }, dependencies: {} })
    assert.deepEqual(item, { ...item, ...expected }, rule)
  }
})

const nestedRules: [rule: string, entry: object, expected: Partial<InventoryItem>][] = [
  [
    'a registry version',
    { version: '1.0.0', resolved: 'https://r.example/a.tgz' },
    { version: '1.0.0', resolved: 'https://r.example/a.tgz' },
  ],
  ['an alias has the real name', { version: 'npm:@s/real@1.0.0' }, { name: '@s/real', version: '1.0.0' }],
  [
    'a git dependency',
    { version: 'git+https://t@h.example/a.git#1' },
    { version: '', resolved: 'git+https://h.example/a.git#1' },
  ],
  ['a hosted git dependency', { version: 'github:o/a#1' }, { version: '', resolved: 'github:o/a#1' }],
  ['an address', { version: 'https://h.example/a.tgz?token=x' }, { version: '', resolved: 'https://h.example/a.tgz' }],
  [
    'the address of an archive of a registry, which names the version',
    { version: 'https://r.example/npm/a/-/a-1.2.3-rc.1.tgz?token=x' },
    { version: '1.2.3-rc.1', resolved: 'https://r.example/npm/a/-/a-1.2.3-rc.1.tgz' },
  ],
  [
    'the address of an archive of another package',
    { version: 'https://r.example/@s/a/-/b-1.2.3.tgz' },
    { version: '', resolved: 'https://r.example/@s/a/-/b-1.2.3.tgz' },
  ],
  ['an archive in a folder', { version: 'file:a.tgz' }, { version: '', resolved: 'file:a.tgz' }],
  ['development only', { version: '1.0.0', dev: true }, { development: true }],
  ['asked for by nobody else', { version: '1.0.0' }, { transitivity: 'DIRECT' }],
]

test('follows the rules for entries of version 1', () => {
  for (const [rule, entry, expected] of nestedRules) {
    const item = only({ lockfileVersion: 1, requires: true, dependencies: { a: entry } })
    assert.deepEqual(item, { ...item, ...expected }, rule)
  }
})

test('a package with a scope has the version that the address of its archive names', () => {
  for (const slash of ['/', '%2f', '%2F']) {
    const version = `https://r.example/@s${slash}a/-/a-2.0.0.tgz`
    assert.equal(only({ lockfileVersion: 1, dependencies: { '@s/a': { version } } }).version, '2.0.0', version)
  }
})

test('leaves out what belongs to the project itself', () => {
  const documents = [
    {
      lockfileVersion: 3,
      packages: { '': {}, 'node_modules/w': { link: true, resolved: 'w' }, w: { version: '1.0.0' } },
    },
    { lockfileVersion: 3, packages: { '': {}, 'node_modules/w': { version: '1.0.0', resolved: 'file:../w' } } },
    { lockfileVersion: 1, dependencies: { w: { version: 'file:../w' } } },
    { lockfileVersion: 3, packages: {} },
    { lockfileVersion: 1 },
  ]
  for (const document of documents) assert.deepEqual(read(document), { items: [], problems: [] })
})

const p = (version: string, ...names: string[]) => ({
  version,
  dependencies: Object.fromEntries(names.map((n) => [n, '*'])),
})

test('finds packages as Node.js does: nested first, then outwards, through links and workspaces', () => {
  const { items } = read({
    lockfileVersion: 3,
    packages: {
      '': { dependencies: { a: '*' }, devDependencies: { w: '*' } },
      'node_modules/a': p('1.0.0', 'b', 'c', 'missing'),
      'node_modules/a/node_modules/b': p('2.0.0', 'c', 'a'),
      'node_modules/b': p('1.0.0'),
      'node_modules/c': { ...p('1.0.0', 'w'), peerDependencies: { b: '*' } },
      'node_modules/w': { link: true, resolved: 'packages/w' },
      'packages/w': { version: '0.0.0', devDependencies: { d: '*', b: '*' } },
      'packages/w/node_modules/d': p('1.0.0', 'c'),
    },
  })
  const edges = items.map(({ key, transitivity, dependsOn }) => [key, transitivity, ...dependsOn])
  assert.deepEqual(edges, [
    ['node_modules/a', 'DIRECT', 'node_modules/a/node_modules/b', 'node_modules/c'],
    ['node_modules/a/node_modules/b', 'TRANSITIVE', 'node_modules/c', 'node_modules/a'],
    ['node_modules/b', 'DIRECT'],
    ['node_modules/c', 'TRANSITIVE', 'node_modules/b'],
    ['packages/w/node_modules/d', 'DIRECT', 'node_modules/c'],
  ])
})

test('finds out of version 1 who is asked for by the project, where that can be told', () => {
  const dependencies = {
    a: {
      version: '1.0.0',
      requires: { b: '*', c: '*' },
      dependencies: { b: { version: '2.0.0', requires: { c: '*' } } },
    },
    b: { version: '1.0.0' },
    c: { version: '1.0.0', requires: { a: '*' } },
  }
  const told = read({ lockfileVersion: 1, requires: true, dependencies }).items
  assert.deepEqual(
    told.map(({ name, version, transitivity, dependsOn }) => [name, version, transitivity, ...dependsOn]),
    [
      ['a', '1.0.0', 'UNKNOWN', '/dependencies/a/dependencies/b', '/dependencies/c'],
      ['b', '2.0.0', 'TRANSITIVE', '/dependencies/c'],
      ['b', '1.0.0', 'DIRECT'],
      ['c', '1.0.0', 'UNKNOWN', '/dependencies/a'],
    ],
  )
  const untold = read({ dependencies: { a: { version: '1.0.0', resolved: 'https://r.example/a.tgz' } } }).items
  assert.equal(untold[0]!.transitivity, 'UNKNOWN')
})

test('what a folder of the project requires is direct in version 1 too, at the top or nested in it', () => {
  const w = {
    version: 'file:packages/w',
    requires: { a: '*', b: '*' },
    dependencies: { b: { version: '2.0.0', requires: { c: '*' } }, c: { version: '1.0.0' } },
  }
  const { items } = read({ lockfileVersion: 1, requires: true, dependencies: { a: { version: '1.0.0' }, w } })
  assert.deepEqual(
    items.map(({ name, transitivity }) => [name, transitivity]),
    [
      ['a', 'DIRECT'],
      ['b', 'DIRECT'],
      ['c', 'TRANSITIVE'],
    ],
  )
})

test('gives the line of an entry', () => {
  const { items } = read('{"lockfileVersion": 3,\n"packages": {\n"": {},\n"node_modules/@s/a": {"version": "1.0.0"}}}')
  assert.equal(items[0]!.line, 4)
})

test('names the entries it cannot use, and uses the others', () => {
  const { items, problems } = read({
    lockfileVersion: 3,
    packages: {
      'node_modules/a': 1,
      'node_modules/b\u0000': { version: '1' },
      'node_modules/c': { version: '1.0.0' },
      __proto__x: null,
    },
  })
  assert.deepEqual(
    items.map(({ name }) => name),
    ['c'],
  )
  assert.deepEqual(
    problems.map(({ code, fatal }) => [code, fatal]),
    [
      ['bad-entry', false],
      ['bad-entry', false],
      ['bad-name', false],
    ],
  )
})

const recognised: [document: string, mine: boolean][] = [
  ['{"name": "x", "lockfileVersion": 3, "requires": true, "packages": {"": {"na', true],
  ['\ufeff{"lockfileVersion": 1}', true],
  ['{"name": "npm", "version": "4.6.1", "dependencies": {"abbrev": {"version": "1.1.0", "resolved": "https', true],
  ['{"name": "x", "version": "1.0.0", "dependencies": {"a": "^1.0.0"}}', false],
  ['{"lockfileVersion": 1, "workspaces": {"": {}}, "packages": {}}', false],
  ['{"_readme": [], "content-hash": "x", "packages": [{"name": "a/b", "version": "1"}]}', false],
  ['{"version": 1, "dependencies": {"net8.0": {"A": {"type": "Direct", "resolved": "1.0.0"}}}}', false],
  ['{"bomFormat": "CycloneDX", "specVersion": "1.5", "dependencies": [{"ref": "a"}]}', false],
  ["lockfileVersion: '9.0'", false],
  ['this is not json!', false],
  ['', false],
]

test('recognises its documents by content', () => {
  for (const [document, mine] of recognised)
    assert.equal(packageLock.recognises(Buffer.from(document), ''), mine, document)
})

test('ends hostile documents, and those of other formats, in a problem', () => {
  const others: [string, Uint8Array][] = [
    ['package.json', Buffer.from('{"name": "x", "version": "1.0.0", "dependencies": {"a": "^1.0.0"}}')],
    ['packages.lock.json', Buffer.from('{"version": 1, "dependencies": {"net8.0": {"A": {"resolved": "1.0.0"}}}}')],
    ['composer.lock', Buffer.from('{"content-hash": "x", "packages": [{"name": "a/b", "version": "1"}]}')],
  ]
  for (const [name, bytes] of [...hostileDocuments(), ...others]) {
    const { items, problems } = packageLock.read([bytes], '')
    assert.deepEqual([items, problems[0]?.fatal], [[], true], name)
  }
})

test('never throws on a damaged document', () => {
  const sample = {
    lockfileVersion: 2,
    packages: { '': root, 'node_modules/a': p('1.0.0', 'a') },
    dependencies: { a: { version: '1.0.0' } },
  }
  assertSurvivesDamage(packageLock, JSON.stringify(sample))
  assertSurvivesDamage(
    packageLock,
    JSON.stringify({ requires: true, dependencies: { a: { version: 'npm:b@1', requires: { a: '1' } } } }),
  )
})

test('reads a hundred thousand packages that depend on each other in a circle', () => {
  const count = 100_000
  const packages = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`node_modules/p${index}`, p('1.0.0', `p${(index + 1) % count}`)]),
  )
  const { items } = read({ lockfileVersion: 3, packages: { '': { dependencies: { p0: '*' } }, ...packages } })
  assert.equal(items.length, count)
  assert.deepEqual(items.at(-1)!.dependsOn, ['node_modules/p0'])
})

test('agrees with other readers on the real data', { skip: data === undefined ? withoutRealData : false }, () => {
  const reference = referenceCases(data!, 'npm-package-lock')
  const fixtures = [...scalibrCases(data!, 'packagelockjson'), ...osvDetectorCases(data!, 'NpmLock')]
  assert.ok(reference.length > 0 && fixtures.length > 0)
  for (const expected of reference) {
    // They keep an address where version 1 has one for a version.
    assertAgrees(packageLock, expected, (theirs) => ({
      ...theirs,
      version: theirs.version.includes('://') ? '' : theirs.version,
    }))
  }
  for (const expected of fixtures) {
    // They keep a folder of the project as a package without version.
    const { items } = assertAgrees(packageLock, expected, (theirs) =>
      theirs.name === 'other_package' ? undefined : theirs,
    )
    // They call a package so that is optional and development at once, we do not; and one that is in two places counts
    // as development only where both are.
    for (const { name } of expected.file.includes('scalibr') ? items : []) {
      const groups = expected.packages.filter((theirs) => theirs.name === name).flatMap((theirs) => theirs.groups)
      const ours = items.filter((item) => item.name === name).every(({ development }) => development)
      if (!groups.includes('optional')) assert.equal(ours, groups.includes('dev'), `${expected.file}: ${name}`)
    }
  }
})
