import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertSurvivesDamage, hostileDocuments } from '../../../test/hostile-documents.ts'
import { assertAgrees, osvDetectorCases, referenceCases, scalibrCases } from '../../../test/lockfile-expectations.ts'
import { realData, withoutRealData } from '../../../test/real-data.ts'
import { type PackageId, packageId, withoutPeers } from './keys.ts'
import { pnpmLock } from './reader.ts'

const data = realData()

function read(document: string) {
  return pnpmLock.read([Buffer.from(document)], 'pnpm-lock.yaml')
}

/** The graph in short: key, transitivity, `dev` where it is, and the keys it depends on. */
function graph(document: string): string[] {
  const { items, problems } = read(document)
  assert.deepEqual(problems, [])
  return items.map(({ key, transitivity, development, dependsOn }) =>
    [key, transitivity, ...(development ? ['dev'] : []), ...dependsOn].join(' '),
  )
}

const keys: [version: number, key: string, entry: object, id: PackageId | undefined][] = [
  [5, '/a/1.0.0', {}, { name: 'a', version: '1.0.0' }],
  [5, '/@s/a/1.0.0_@types+b@2.0.0', {}, { name: '@s/a', version: '1.0.0' }],
  [5, '/a_b/1.0.0_x', {}, { name: 'a_b', version: '1.0.0' }],
  [5, 'r.example/@s/a/1.0.0', {}, { name: '@s/a', version: '1.0.0' }],
  [5, 'github.com/o/a/0123', { name: 'a', version: '1.0.0' }, { name: 'a', version: '1.0.0' }],
  [5, 'a@1.0.0', {}, undefined],
  [5, '/a/b', {}, undefined],
  [5, 'a', {}, undefined],
  [6, '/a@1.0.0', {}, { name: 'a', version: '1.0.0' }],
  [6, '/@s/a@1.0.0(b@2.0.0)(c@3.0.0)', {}, { name: '@s/a', version: '1.0.0' }],
  [6, 'r.example/@s/a@1.0.0', {}, { name: '@s/a', version: '1.0.0' }],
  [6, '@github.com/o/a/0123', { name: 'a', version: '1.0.0' }, { name: 'a', version: '1.0.0' }],
  [9, 'a.b@1.0.0', {}, { name: 'a.b', version: '1.0.0' }],
  [9, '@s/a@1.0.0-rc.1+x', {}, { name: '@s/a', version: '1.0.0-rc.1+x' }],
  [9, 'a@https://h.example/a/tar.gz/0123', { version: '1.0.0' }, { name: 'a', version: '1.0.0' }],
  [9, 'a@git+ssh://git@h.example/a.git#0123', {}, { name: 'a', version: '' }],
  [9, 'a', {}, undefined],
]

test('reads names and versions out of keys', () => {
  for (const [version, key, entry, id] of keys) assert.deepEqual(packageId(key, entry, version), id, key)
  assert.equal(withoutPeers('a@1.0.0(patch_hash=x)(b@2.0.0)', 9), 'a@1.0.0')
  assert.equal(withoutPeers('/a/1.0.0_b@2.0.0', 5), '/a/1.0.0')
})

test('reads version 5: peers in keys, aliases, development as the entry says', () => {
  const document = `lockfileVersion: 5.4
dependencies:
  a: 1.0.0_b@2.0.0
  alias: /d/4.0.0
devDependencies:
  c: 3.0.0
  linked: link:../linked
packages:
  /a/1.0.0_b@2.0.0:
    dependencies: {b: 2.0.0}
    dev: false
  /a/1.0.0:
    dependencies: {c: 3.0.0}
    dev: true
  /b/2.0.0:
    dependencies: {a: 1.0.0_b@2.0.0}
  /c/3.0.0:
    dev: true
  /d/4.0.0: {}
`
  assert.deepEqual(graph(document), [
    'a@1.0.0 DIRECT b@2.0.0 c@3.0.0',
    'b@2.0.0 TRANSITIVE a@1.0.0',
    'c@3.0.0 DIRECT dev',
    'd@4.0.0 DIRECT',
  ])
})

test('reads version 6: importers with specifiers, folders of the project left out', () => {
  const document = `lockfileVersion: '6.0'
importers:
  .:
    dependencies:
      a: {specifier: ^1.0.0, version: 1.0.0(b@2.0.0)}
  packages/w:
    devDependencies:
      folder: {specifier: 'file:../folder', version: file:packages/folder}
packages:
  /a@1.0.0(b@2.0.0):
    dependencies: {b: 2.0.0}
  /b@2.0.0:
    dev: false
  /c@3.0.0: {}
  file:packages/folder:
    resolution: {directory: packages/folder, type: directory}
    name: folder
    dependencies: {c: 3.0.0}
`
  assert.deepEqual(graph(document), ['a@1.0.0 DIRECT b@2.0.0', 'b@2.0.0 TRANSITIVE', 'c@3.0.0 DIRECT'])
})

test('what only a snapshot with other peers brings in keeps its own standing', () => {
  const document = `lockfileVersion: '9.0'
importers:
  .:
    dependencies:
      shared: {specifier: ^1.0.0, version: 1.0.0(peer@1.0.0)}
    devDependencies:
      tool: {specifier: ^1.0.0, version: 1.0.0}
packages:
  shared@1.0.0: {}
  peer@1.0.0: {}
  peer@2.0.0: {}
  below@2.0.0: {}
  tool@1.0.0: {}
snapshots:
  shared@1.0.0(peer@1.0.0):
    dependencies: {peer: 1.0.0}
  shared@1.0.0(peer@2.0.0):
    dependencies: {peer: 2.0.0}
  peer@1.0.0: {}
  peer@2.0.0:
    dependencies: {below: 2.0.0}
  below@2.0.0: {}
  tool@1.0.0:
    dependencies: {shared: 1.0.0(peer@2.0.0)}
`
  assert.deepEqual(graph(document), [
    'shared@1.0.0 DIRECT peer@1.0.0 peer@2.0.0',
    'peer@1.0.0 TRANSITIVE',
    'peer@2.0.0 TRANSITIVE dev below@2.0.0',
    'below@2.0.0 TRANSITIVE dev',
    'tool@1.0.0 DIRECT dev shared@1.0.0',
  ])
})

test('the runtime of the project is not the package of its name', () => {
  const document = `lockfileVersion: '9.0'
importers:
  .:
    dependencies:
      a: {specifier: ^1.0.0, version: 1.0.0}
    devDependencies:
      node: {specifier: 'runtime:^22.0.0', version: 'runtime:22.18.0'}
packages:
  a@1.0.0: {}
  node@runtime:22.18.0:
    hasBin: true
    resolution: {type: variations, variants: []}
    version: 22.18.0
snapshots:
  a@1.0.0: {}
  node@runtime:22.18.0: {}
`
  assert.deepEqual(graph(document), ['a@1.0.0 DIRECT'])
})

test('reads version 9: snapshots, and development as it follows from the graph', () => {
  const document = `lockfileVersion: '9.0'
importers:
  .:
    dependencies:
      a: {specifier: ^1.0.0, version: 1.0.0(b@2.0.0)}
    devDependencies:
      c: {specifier: ^3.0.0, version: 3.0.0}
      alias: {specifier: 'npm:e@5', version: e@5.0.0}
packages:
  a@1.0.0: {resolution: {integrity: x}}
  b@2.0.0: {}
  c@3.0.0: {}
  d@4.0.0: {}
  e@5.0.0: {}
snapshots:
  a@1.0.0(b@2.0.0):
    dependencies: {b: 2.0.0}
  a@1.0.0:
    optionalDependencies: {d: 4.0.0}
  b@2.0.0: {}
  c@3.0.0:
    dependencies: {b: 2.0.0, d: 4.0.0}
  d@4.0.0: {}
  e@5.0.0:
    dependencies: {e: 5.0.0, c: 3.0.0}
`
  assert.deepEqual(graph(document), [
    'a@1.0.0 DIRECT d@4.0.0 b@2.0.0',
    'b@2.0.0 TRANSITIVE',
    'c@3.0.0 DIRECT dev b@2.0.0 d@4.0.0',
    'd@4.0.0 TRANSITIVE dev',
    'e@5.0.0 DIRECT dev c@3.0.0',
  ])
})

test('reads the document of pnpm itself before that of the project', () => {
  const document = `---
lockfileVersion: '9.0'
importers:
  .:
    configDependencies: {}
    packageManagerDependencies:
      pnpm: {specifier: 12.0.0, version: 12.0.0}
packages:
  pnpm@12.0.0: {}
  x@1.0.0: {}
snapshots:
  pnpm@12.0.0: {dependencies: {x: 1.0.0}}
  x@1.0.0: {}
---
lockfileVersion: '9.0'
importers:
  .:
    dependencies:
      x: {specifier: 1.0.0, version: 1.0.0}
packages:
  x@1.0.0: {}
snapshots:
  x@1.0.0: {}
`
  assert.deepEqual(graph(document), ['pnpm@12.0.0 DIRECT dev x@1.0.0', 'x@1.0.0 DIRECT'])
})

test('gives lines, and addresses without credentials', () => {
  const { items } = read(`lockfileVersion: '9.0'
packages:

  a@https://t@h.example/a.tgz:
    resolution: {tarball: 'https://t@h.example/a.tgz?token=x'}
    version: 1.0.0
  b@git+https://t@h.example/b.git#0123:
    resolution: {commit: '0123', repo: https://u:p@h.example/b.git, type: git}
`)
  assert.deepEqual(
    items.map(({ key, version, resolved, line, transitivity }) => [key, version, resolved, line, transitivity]),
    [
      ['a@1.0.0', '1.0.0', 'https://h.example/a.tgz', 4, 'UNKNOWN'],
      ['b@', '', 'https://h.example/b.git#0123', 7, 'UNKNOWN'],
    ],
  )
})

test('names the entries it cannot use, and uses the others', () => {
  const { items, problems } = read(
    'lockfileVersion: 5.3\npackages:\n  nonsense: {}\n  "/a b/1.0.0": {}\n  /c/1.0.0: {}\n',
  )
  assert.deepEqual(
    items.map(({ key }) => key),
    ['c@1.0.0'],
  )
  assert.deepEqual(
    problems.map(({ code, line, fatal }) => [code, line, fatal]),
    [
      ['bad-key', 3, false],
      ['bad-name', 4, false],
    ],
  )
})

const recognised: [document: string, mine: boolean][] = [
  ["lockfileVersion: '9.0'\n\nsettings:\n", true],
  ["---\nlockfileVersion: '9.0'\n", true],
  ['dependencies:\n  a: 1.0.0\nlockfileVersion: 5.2\n', true],
  ['importers:\n  .:\n    specifiers:\n      a: 1\n', true],
  ['lockfileVersion 1\n', false],
  ['{"lockfileVersion": 3}', false],
  ['__metadata:\n  version: 8\n', false],
  ['packages:\n  a:\n    version: "1.0.0"\n', false],
  ['', false],
]

test('recognises its documents by content', () => {
  for (const [document, mine] of recognised)
    assert.equal(pnpmLock.recognises(Buffer.from(document), ''), mine, document)
})

test('ends hostile documents in a problem', () => {
  const older: [string, Uint8Array] = ['an older version', Buffer.from('lockfileVersion: 4\n')]
  for (const [name, bytes] of [...hostileDocuments(), older]) {
    const { items, problems } = pnpmLock.read([bytes], '')
    assert.deepEqual([items, problems[0]?.fatal], [[], true], name)
  }
})

test('never throws on a damaged document', () => {
  assertSurvivesDamage(
    pnpmLock,
    "lockfileVersion: '9.0'\nimporters:\n  .:\n    dependencies:\n      a: {specifier: 1, version: 1.0.0}\npackages:\n  a@1.0.0: {resolution: {integrity: x}}\nsnapshots:\n  a@1.0.0(b@1):\n    dependencies: {a: 1.0.0}\n",
  )
})

test('reads a hundred thousand packages that depend on each other in a circle', () => {
  const count = 100_000
  const numbers = Array.from({ length: count }, (_, index) => index)
  const packages = numbers.map((index) => `  p${index}@1.0.0: {resolution: {integrity: x}}\n`).join('')
  const snapshots = numbers
    .map((index) => `  p${index}@1.0.0:\n    dependencies:\n      p${(index + 1) % count}: 1.0.0\n`)
    .join('')
  const importers = 'importers:\n  .:\n    devDependencies:\n      p0: {specifier: 1, version: 1.0.0}\n'
  const { items } = read(`lockfileVersion: '9.0'\n${importers}packages:\n${packages}snapshots:\n${snapshots}`)
  assert.equal(items.length, count)
  assert.deepEqual(items.at(-1)!.dependsOn, ['p0@1.0.0'])
  assert.ok(items.every(({ development }) => development))
})

test('agrees with other readers on the real data', { skip: data === undefined ? withoutRealData : false }, () => {
  const reference = referenceCases(data!, 'pnpm-lock')
  const fixtures = [...scalibrCases(data!, 'pnpmlock'), ...osvDetectorCases(data!, 'PnpmLock')]
  assert.ok(reference.length > 0 && fixtures.length > 0)
  for (const expected of reference) {
    const { items } = assertAgrees(pnpmLock, expected)
    assert.deepEqual(
      [...new Set(items.map(({ transitivity }) => transitivity))].sort(),
      ['DIRECT', 'TRANSITIVE'],
      expected.file,
    )
  }
  for (const expected of fixtures) {
    // Two keys there name no version: they pass over them in silence, we say so.
    assertAgrees(pnpmLock, expected.file.endsWith('/exotic.yaml') ? { ...expected, expectError: true } : expected)
  }
})
