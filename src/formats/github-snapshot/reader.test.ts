import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recogniseFormat } from '../registry.ts'
import { githubSnapshot } from './reader.ts'

const lodash = 'pkg:npm/lodash@4.17.21'
const async = 'pkg:npm/async@3.2.0'

const snapshot = {
  version: 0,
  job: { id: '1', correlator: 'build' },
  sha: 'a'.repeat(40),
  ref: 'refs/heads/main',
  detector: { name: 'detector', version: '1', url: 'https://detector.example' },
  scanned: '2026-01-01T00:00:00Z',
  manifests: {
    'package-lock.json': {
      name: 'package-lock.json',
      file: { source_location: 'package-lock.json' },
      resolved: {
        [async]: { package_url: async, relationship: 'direct', scope: 'runtime', dependencies: [lodash] },
        [lodash]: { package_url: lodash, relationship: 'indirect', scope: 'development', dependencies: [] },
      },
    },
    'pom.xml': {
      name: 'pom.xml',
      resolved: { 'org.a:b': { package_url: 'pkg:maven/org.a/b@1.0', dependencies: ['not-there'] } },
    },
  },
}

const read = (document: unknown) => githubSnapshot.read([Buffer.from(JSON.stringify(document))], '')

test('packages of all manifests, with what the detector says of them', () => {
  const { items, problems } = read(snapshot)
  assert.deepEqual(problems, [])
  assert.deepEqual(
    items.map(({ ecosystem, name, version, transitivity, development }) => [
      ecosystem,
      name,
      version,
      transitivity,
      development,
    ]),
    [
      ['npm', 'async', '3.2.0', 'DIRECT', false],
      ['npm', 'lodash', '4.17.21', 'TRANSITIVE', true],
      ['maven', 'org.a:b', '1.0', 'UNKNOWN', false],
    ],
  )
  assert.deepEqual(items[0]!.dependsOn, [items[1]!.key])
})

test('Trivy has the real spelling of a package as its key', () => {
  const resolved = {
    'github.com/Masterminds/goutils': { package_url: 'pkg:golang/github.com/masterminds/goutils@v1.1.0' },
    JSONStream: { package_url: 'pkg:npm/jsonstream@1.3.5' },
  }
  const { items } = read({ ...snapshot, manifests: { 'go.mod': { name: 'gomod', resolved } } })
  assert.deepEqual(
    items.map(({ name }) => name),
    Object.keys(resolved),
  )
})

test('it is recognised by its content', () => {
  const head = Buffer.from(JSON.stringify(snapshot))
  assert.equal(recogniseFormat(head, 'x.json')?.id, 'github-snapshot')
})

test('a snapshot without packages is an empty list, and one without manifests is none', () => {
  assert.deepEqual(read({ ...snapshot, manifests: {} }), { items: [], problems: [] })
  assert.equal(read({ ...snapshot, manifests: [] }).problems[0]!.code, 'wrong-format')
  assert.equal(githubSnapshot.read([Buffer.from('{"manifests":{')], '').problems[0]!.code, 'truncated')
})
