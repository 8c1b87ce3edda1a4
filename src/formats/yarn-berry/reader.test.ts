import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertSurvivesDamage, hostileDocuments } from '../../../test/hostile-documents.ts'
import { assertAgrees, osvDetectorCases, referenceCases, scalibrCases } from '../../../test/lockfile-expectations.ts'
import { realData, withoutRealData } from '../../../test/real-data.ts'
import type { InventoryItem } from '../format.ts'
import { yarnBerry } from './reader.ts'

const data = realData()

const header = '__metadata:\n  version: 8\n  cacheKey: 10c0\n\n'

function read(body: string) {
  return yarnBerry.read([Buffer.from(header + body)], 'yarn.lock')
}

function entry(
  patterns: string,
  version: string,
  resolution: string,
  dependencies: Record<string, string> = {},
): string {
  const listed = Object.entries(dependencies).map(([name, range]) => `\n    "${name}": "${range}"`)
  const block = listed.length > 0 ? `\n  dependencies:${listed.join('')}` : ''
  return `"${patterns}":\n  version: ${version}\n  resolution: "${resolution}"${block}\n  linkType: hard\n\n`
}

test('reads an entry', () => {
  const { items, problems } = read(entry('a@npm:^1.0.0, a@npm:^1.2.0', '1.2.3', 'a@npm:1.2.3'))
  assert.deepEqual(problems, [])
  assert.deepEqual(items, [
    {
      key: 'a@1.2.3',
      ecosystem: 'npm',
      name: 'a',
      version: '1.2.3',
      transitivity: 'UNKNOWN',
      development: false,
      licence: '',
      resolved: '',
      dependsOn: [],
      line: 5,
    },
  ])
})

const rules: [rule: string, body: string, expected: Partial<InventoryItem>[]][] = [
  [
    'an alias has the real name',
    entry('x@npm:@s/real@^1', '1.0.0', '@s/real@npm:1.0.0'),
    [{ name: '@s/real', version: '1.0.0' }],
  ],
  [
    'git',
    entry('a@o/a#main', '0.1.0', 'a@https://t@h.example/o/a.git#commit=0123'),
    [{ name: 'a', version: '0.1.0', resolved: 'https://h.example/o/a.git#commit=0123' }],
  ],
  [
    'an address of its own',
    entry('a@npm:^1', '1.0.0', 'a@npm:1.0.0::__archiveUrl=https%3A%2F%2Fu%3Ap%40h.example%2Fa.tgz'),
    [{ resolved: 'https://h.example/a.tgz' }],
  ],
  ['a broken address', entry('a@npm:^1', '1.0.0', 'a@npm:1.0.0::__archiveUrl=%E0%A4%A'), [{ resolved: '' }]],
  ['a workspace is not a dependency', entry('a@workspace:.', '0.0.0-use.local', 'a@workspace:.'), []],
  ['a folder is not a dependency', entry('a@file:../a::locator=w', '1.0.0', 'a@file:../a#../a::hash=1&locator=w'), []],
  [
    'an archive in a folder is one',
    entry('a@file:./a.tgz::locator=w', '1.0.0', 'a@file:./a.tgz#./a.tgz::hash=1&locator=w'),
    [{ version: '1.0.0' }],
  ],
  [
    'a link is not a dependency',
    '"a@link:../a":\n  version: 1.0.0\n  resolution: "a@link:../a"\n  linkType: soft\n',
    [],
  ],
  [
    'a patch without its original',
    entry('a@patch:a@npm%3A1.0.0#x.patch', '1.0.0', 'a@patch:a@npm%3A1.0.0#x.patch::version=1.0.0'),
    [{ name: 'a', version: '1.0.0' }],
  ],
]

test('follows the rules for entries', () => {
  for (const [rule, body, expected] of rules) {
    const { items, problems } = read(body)
    assert.deepEqual(problems, [], rule)
    assert.deepEqual(
      items,
      expected.map((part, index) => ({ ...items[index], ...part })),
      rule,
    )
  }
})

test('takes what workspaces ask for as direct, and follows ranges, patches and forced versions', () => {
  const { items } = read(
    entry('app@workspace:.', '0.0.0-use.local', 'app@workspace:.', {
      a: 'npm:^1',
      lib: 'workspace:^',
      p: 'patch:p@npm%3A1.0.0#p.patch',
    }) +
      entry('lib@workspace:^, lib@workspace:lib', '0.0.0-use.local', 'lib@workspace:lib', { d: '^1' }) +
      entry('a@npm:^1', '1.0.0', 'a@npm:1.0.0', { b: 'npm:^1', forced: 'npm:^1', missing: 'npm:^1' }) +
      entry('b@npm:^1', '1.0.0', 'b@npm:1.0.0', { a: 'npm:^1' }) +
      entry('d@npm:^1', '1.0.0', 'd@npm:1.0.0') +
      entry('forced@npm:9.0.0', '9.0.0', 'forced@npm:9.0.0') +
      entry('p@npm:1.0.0', '1.0.0', 'p@npm:1.0.0') +
      entry(
        'p@patch:p@npm%3A1.0.0#p.patch::locator=app',
        '1.0.0',
        'p@patch:p@npm%3A1.0.0#p.patch::version=1.0.0&hash=1',
      ),
  )
  assert.deepEqual(
    items.map(({ key, transitivity, dependsOn }) => [key, transitivity, ...dependsOn]),
    [
      ['a@1.0.0', 'DIRECT', 'b@1.0.0', 'forced@9.0.0'],
      ['b@1.0.0', 'TRANSITIVE', 'a@1.0.0'],
      ['d@1.0.0', 'DIRECT'],
      ['forced@9.0.0', 'TRANSITIVE'],
      ['p@1.0.0', 'DIRECT'],
    ],
  )
})

test('finds what the project asks for by a catalog', () => {
  const project = entry('app@workspace:.', '0.0.0-use.local', 'app@workspace:.', { a: 'catalog:', c: 'catalog:old' })
  const others =
    entry('a@npm:^1', '1.0.0', 'a@npm:1.0.0') + entry('b@npm:^1', '1.0.0', 'b@npm:1.0.0', { a: 'npm:^1', c: 'npm:^1' })
  const standing = (document: string) => read(document).items.map(({ key, transitivity }) => `${key} ${transitivity}`)
  const two = entry('a@npm:^2', '2.0.0', 'a@npm:2.0.0') + entry('c@npm:^1', '1.0.0', 'c@npm:1.0.0')
  const found = ['a@1.0.0 TRANSITIVE', 'b@1.0.0 TRANSITIVE', 'a@2.0.0 DIRECT', 'c@1.0.0 DIRECT']
  assert.deepEqual(standing(project + others + two), found)
  // Somebody else asks for the same: nobody knows which of the two the project means.
  const shared = entry('d@npm:^1', '1.0.0', 'd@npm:1.0.0', { a: 'npm:^2' })
  const unknown = ['a@1.0.0 UNKNOWN', 'b@1.0.0 TRANSITIVE', 'a@2.0.0 UNKNOWN', 'c@1.0.0 DIRECT', 'd@1.0.0 TRANSITIVE']
  assert.deepEqual(standing(project + others + two + shared), unknown)
})

test('a workspace is not the package that has its name', () => {
  const { items } = read(
    entry('app@workspace:.', '0.0.0-use.local', 'app@workspace:.', { a: 'workspace:*', b: '^1', c: '^1' }) +
      entry('a@workspace:*, a@workspace:a', '0.0.0-use.local', 'a@workspace:a') +
      entry('b@^1, b@workspace:b', '0.0.0-use.local', 'b@workspace:b') +
      entry('a@npm:^1', '1.0.0', 'a@npm:1.0.0') +
      entry('b@npm:^2', '2.0.0', 'b@npm:2.0.0') +
      entry('c@npm:^1', '1.0.0', 'c@npm:1.0.0', { a: 'npm:^1', b: 'npm:^2' }),
  )
  const found = items.map(({ key, transitivity }) => `${key} ${transitivity}`)
  assert.deepEqual(found, ['a@1.0.0 TRANSITIVE', 'b@2.0.0 TRANSITIVE', 'c@1.0.0 DIRECT'])
})

test('names the entries it cannot use, and uses the others', () => {
  const { items, problems } = read(
    `"a@npm:1": text\n${entry('b c@npm:1', '1.0.0', 'b c@npm:1.0.0')}${entry('d@npm:1', '1.0.0', 'd@npm:1.0.0')}`,
  )
  assert.deepEqual(
    items.map(({ key }) => key),
    ['d@1.0.0'],
  )
  assert.deepEqual(
    problems.map(({ code, line, fatal }) => [code, line, fatal]),
    [
      ['bad-entry', 5, false],
      ['bad-name', 6, false],
    ],
  )
})

const recognised: [document: string, mine: boolean][] = [
  [header, true],
  ['# This file is generated by running "yarn install" inside your project.\n', true],
  ['# yarn lockfile v1\n\na@1:\n  version "1.0.0"\n', false],
  ["lockfileVersion: '9.0'\n", false],
  ['{"__metadata": {}}', false],
  ['', false],
]

test('recognises its documents by content', () => {
  for (const [document, mine] of recognised)
    assert.equal(yarnBerry.recognises(Buffer.from(document), ''), mine, document)
})

test('ends hostile documents in a problem', () => {
  for (const [name, bytes] of hostileDocuments()) {
    const { items, problems } = yarnBerry.read([bytes], '')
    assert.deepEqual([items, problems[0]?.fatal], [[], true], name)
  }
})

test('never throws on a damaged document', () => {
  assertSurvivesDamage(
    yarnBerry,
    header +
      entry('app@workspace:.', '0', 'app@workspace:.', { a: '^1' }) +
      entry('a@npm:^1', '1.0.0', 'a@npm:1.0.0', { a: '^1' }),
  )
})

test('reads a hundred thousand packages that depend on each other in a circle', () => {
  const count = 100_000
  const next = (index: number) => ({ [`p${(index + 1) % count}`]: '^1' })
  const { items } = read(
    Array.from({ length: count }, (_, index) =>
      entry(`p${index}@npm:^1`, '1.0.0', `p${index}@npm:1.0.0`, next(index)),
    ).join(''),
  )
  assert.equal(items.length, count)
  assert.deepEqual(items.at(-1)!.dependsOn, ['p0@1.0.0'])
})

test('agrees with other readers on the real data', { skip: data === undefined ? withoutRealData : false }, () => {
  const reference = referenceCases(data!, 'yarn-berry')
  const fixtures = [...scalibrCases(data!, 'yarnlock'), ...osvDetectorCases(data!, 'YarnLock')].filter(({ file }) =>
    file.includes('.v2.'),
  )
  assert.ok(reference.length > 0 && fixtures.length > 0)
  for (const expected of reference) {
    const { items } = assertAgrees(yarnBerry, expected)
    assert.deepEqual(
      [...new Set(items.map(({ transitivity }) => transitivity))].sort(),
      ['DIRECT', 'TRANSITIVE'],
      expected.file,
    )
    assert.equal(items.length, new Set(items.map(({ name, version }) => `${name}@${version}`)).size)
  }
  for (const expected of fixtures) {
    // They keep all workspaces but the outermost, and folders of the project.
    assertAgrees(yarnBerry, expected, (theirs, file) =>
      theirs.version === '0.0.0-use.local' || file.endsWith('/files.v2.lock') ? undefined : theirs,
    )
  }
})
