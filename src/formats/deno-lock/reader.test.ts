import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertSurvivesDamage, hostileDocuments } from '../../../test/hostile-documents.ts'
import { denoLock } from './reader.ts'

function read(document: unknown) {
  return denoLock.read([Buffer.from(typeof document === 'string' ? document : JSON.stringify(document))], 'deno.lock')
}

/** As key, transitivity and needs, what the project asks for with a `!`. */
function told(document: unknown): string[] {
  const { items, problems } = read(document)
  assert.deepEqual(problems, [])
  return items.map(({ key, transitivity, dependsOn }) =>
    [key + (transitivity === 'DIRECT' ? '!' : ''), ...dependsOn].join(' '),
  )
}

test('reads an entry', () => {
  const { items, problems } = read(`{
  "version": "5",
  "specifiers": { "npm:@s/a@1": "1.2.3" },
  "npm": {
    "@s/a@1.2.3": { "integrity": "sha512-x", "tarball": "https://u:p@r.example/a.tgz" }
  }
}`)
  assert.deepEqual(problems, [])
  assert.deepEqual(items, [
    {
      key: '@s/a@1.2.3',
      ecosystem: 'npm',
      name: '@s/a',
      version: '1.2.3',
      transitivity: 'DIRECT',
      development: false,
      licence: '',
      resolved: 'https://r.example/a.tgz',
      dependsOn: [],
      line: 5,
    },
  ])
})

test('follows dependencies by name where there is one version, by version, by alias, and with peers', () => {
  const npm = {
    'a@1.0.0': { dependencies: ['b', 'c@2.0.0', 'other@npm:@s/d@1.0.0'], optionalDependencies: ['missing'] },
    'b@1.0.0_c@1.0.0': { dependencies: ['c@1.0.0'] },
    'c@1.0.0': {},
    'c@2.0.0': {},
    '@s/d@1.0.0': { dependencies: ['b@1.0.0_c@1.0.0'] },
  }
  assert.deepEqual(told({ version: '5', specifiers: { 'npm:a@1': '1.0.0' }, npm }), [
    'a@1.0.0! b@1.0.0 c@2.0.0 @s/d@1.0.0',
    'b@1.0.0 c@1.0.0',
    'c@1.0.0',
    'c@2.0.0',
    '@s/d@1.0.0 b@1.0.0',
  ])
})

test('one package with two sets of peers is one package', () => {
  const npm = { 'a@1.0.0_p@1.0.0': { dependencies: ['p@1.0.0'] }, 'a@1.0.0_p@2.0.0': { dependencies: ['p@2.0.0'] } }
  const peers = { 'p@1.0.0': {}, 'p@2.0.0': {} }
  assert.deepEqual(told({ version: '4', specifiers: {}, npm: { ...npm, ...peers } }), [
    'a@1.0.0 p@1.0.0 p@2.0.0',
    'p@1.0.0',
    'p@2.0.0',
  ])
})

test('what a member, a package.json or an import asks for is direct; what a package of JSR needs is not', () => {
  const document = {
    version: '5',
    specifiers: {
      'jsr:@std/assert@1': '1.0.1',
      'jsr:@std/internal@^1.0.1': '1.0.2',
      'npm:a@1': '1.0.0',
      'npm:b@1': '1.0.0',
      'npm:c@1': '1.0.0',
      'npm:d@1': '1.0.0',
      'npm:imported@1': '1.0.0',
    },
    jsr: {
      '@std/assert@1.0.1': { integrity: '0', dependencies: ['jsr:@std/internal', 'npm:c@1', 'npm:d@1'] },
      '@std/internal@1.0.2': { integrity: '0' },
    },
    npm: { 'a@1.0.0': {}, 'b@1.0.0': {}, 'c@1.0.0': {}, 'd@1.0.0': {}, 'imported@1.0.0': {} },
    workspace: {
      dependencies: ['jsr:@std/assert@1', 'npm:d@1'],
      members: { lib: { dependencies: ['npm:a@1'], packageJson: { dependencies: ['npm:b@1'] } } },
    },
  }
  assert.deepEqual(told(document), [
    'a@1.0.0!',
    'b@1.0.0!',
    'c@1.0.0',
    'd@1.0.0!',
    'imported@1.0.0!',
    'jsr:@std/assert@1.0.1! jsr:@std/internal@1.0.2 c@1.0.0 d@1.0.0',
    'jsr:@std/internal@1.0.2',
  ])
  assert.deepEqual(
    read(document)
      .items.map(({ ecosystem }) => ecosystem)
      .slice(4, 6),
    ['npm', 'generic'],
  )
})

test('reads what Deno 1.37 to 1.46 wrote', () => {
  const document = {
    version: '3',
    packages: {
      specifiers: { 'npm:a@1': 'npm:a@1.0.0', 'jsr:@s/j@1': 'jsr:@s/j@1.0.0' },
      jsr: { '@s/j@1.0.0': { integrity: '0', dependencies: ['npm:a@1'] } },
      npm: { 'a@1.0.0': { integrity: 'x', dependencies: { other: 'b@2.0.0' } }, 'b@2.0.0': { dependencies: {} } },
    },
    remote: { 'https://deno.land/std@0.200.0/a.ts': '0' },
    workspace: { dependencies: ['npm:a@1'] },
  }
  assert.deepEqual(told(document), ['a@1.0.0! b@2.0.0', 'b@2.0.0', 'jsr:@s/j@1.0.0! a@1.0.0'])
})

test('what older ones wrote is refused, and so is what is none', () => {
  for (const document of [
    { version: '2', remote: {}, npm: { specifiers: {}, packages: {} } },
    {},
    [],
    { version: 5 },
  ]) {
    const { items, problems } = read(document)
    assert.deepEqual([items, problems.map(({ code, fatal }) => [code, fatal])], [[], [['wrong-format', true]]])
  }
})

test('names the entries it cannot use, and uses the others', () => {
  const { items, problems } = read('{"version": "5",\n"npm": {\n"@1.0.0": {},\n"a b@1.0.0": {},\n"c@1.0.0": 1}}')
  assert.deepEqual(
    items.map(({ key }) => key),
    ['c@1.0.0'],
  )
  assert.deepEqual(
    problems.map(({ code, line, fatal }) => [code, line, fatal]),
    [
      ['bad-entry', 3, false],
      ['bad-entry', 4, false],
    ],
  )
})

const recognised: [document: string, mine: boolean][] = [
  ['{"version":"5","specifiers":{"npm:a@1":"1.0.0"},', true],
  ['{"version": "3", "packages": {"specifiers": {}}}', true],
  ['{"version": "4", "remote": {}}', true],
  ['{"version": "4", "workspace": {}}', true],
  ['{"name": "app", "version": "1.0.0", "lockfileVersion": 3, "packages": {}}', false],
  ['{"version": 1, "dependencies": {"net8.0": {}}}', false],
  ['{"name": "app", "version": "1.0.0", "workspaces": []}', false],
  ['', false],
]

test('recognises its documents by content', () => {
  for (const [document, mine] of recognised)
    assert.equal(denoLock.recognises(Buffer.from(document), ''), mine, document)
})

test('ends hostile documents in a problem', () => {
  for (const [name, bytes] of hostileDocuments()) {
    const { items, problems } = denoLock.read([bytes], '')
    assert.deepEqual([items, problems[0]?.fatal], [[], true], name)
  }
})

test('never throws on a damaged document', () => {
  const npm = { 'a@1.0.0': { dependencies: ['b', 'c@npm:b@1.0.0'] }, 'b@1.0.0_a@1.0.0': {} }
  const jsr = { '@s/j@1.0.0': { dependencies: ['npm:a@1'] } }
  const workspace = { dependencies: ['npm:a@1'], members: { lib: { packageJson: { dependencies: ['npm:b@1'] } } } }
  assertSurvivesDamage(
    denoLock,
    JSON.stringify({ version: '5', specifiers: { 'npm:a@1': '1.0.0' }, jsr, npm, workspace }),
  )
})
