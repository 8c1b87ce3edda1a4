import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readString, survivesMutation } from '../../../test/lockfile-suite.ts'
import { recogniseFormat } from '../registry.ts'
import { syftJson } from './reader.ts'

const document = {
  artifacts: [
    {
      id: 'a1',
      name: 'curl',
      version: '7.88.1-10',
      type: 'deb',
      foundBy: 'dpkg-db-cataloger',
      licenses: [
        { value: 'curl', spdxExpression: 'curl', type: 'declared' },
        { value: 'MIT', spdxExpression: 'MIT' },
      ],
      cpes: [{ cpe: 'cpe:2.3:a:curl:curl:7.88.1-10:*:*:*:*:*:*:*', source: 'syft-generated' }],
      purl: 'pkg:deb/debian/curl@7.88.1-10?arch=amd64&distro=debian-12',
    },
    {
      id: 'a2',
      name: 'libc6',
      version: '2.36',
      type: 'deb',
      licenses: ['GPL-2.0-only'],
      purl: 'pkg:deb/debian/libc6@2.36',
    },
    {
      id: 'a3',
      name: 'busybox',
      version: '1.36',
      type: 'binary',
      cpes: ['cpe:2.3:a:busybox:busybox:1.36:*:*:*:*:*:*:*'],
    },
    { id: 'a4', name: 'left-pad', version: '1.3.0', type: 'npm', purl: 'pkg:npm/left-pad@1.3.0' },
    'none',
  ],
  artifactRelationships: [
    { parent: 'a2', child: 'a1', type: 'dependency-of' },
    { parent: 'image', child: 'a1', type: 'contains' },
    { parent: 'a1', child: 'f1', type: 'evident-by' },
  ],
  files: [{ id: 'f1', location: { path: '/etc/x' } }],
  source: { id: 'image', type: 'image' },
  descriptor: { name: 'syft', version: '1.0.0' },
  schema: {
    version: '16.0.0',
    url: 'https://raw.githubusercontent.com/anchore/syft/main/schema/json/schema-16.0.0.json',
  },
}

test('artifacts of every kind, with what they need', () => {
  const { items, problems } = readString(syftJson, JSON.stringify(document))
  assert.deepEqual(
    items.map(({ ecosystem, name, version, licence, dependsOn, resolved }) => [
      ecosystem,
      name,
      version,
      licence,
      dependsOn,
      resolved,
    ]),
    [
      ['deb', 'curl', '7.88.1-10', 'curl AND MIT', ['a2'], 'pkg:deb/debian/curl@7.88.1-10?arch=amd64&distro=debian-12'],
      ['deb', 'libc6', '2.36', 'GPL-2.0-only', [], 'pkg:deb/debian/libc6@2.36'],
      ['generic', 'busybox', '1.36', '', [], 'cpe:2.3:a:busybox:busybox:1.36:*:*:*:*:*:*:*'],
      ['npm', 'left-pad', '1.3.0', '', [], ''],
    ],
  )
  assert.deepEqual(
    problems.map(({ code, pointer }) => [code, pointer]),
    [['invalid-component', '/artifacts/4']],
  )
})

test('it is known by its artifacts, long before its schema comes', () => {
  const { schema: _, descriptor: __, ...head } = document
  assert.equal(recogniseFormat(Buffer.from(JSON.stringify(head)), '')?.id, 'syft-json')
  assert.equal(
    recogniseFormat(Buffer.from(JSON.stringify({ artifacts: [], schema: document.schema })), '')?.id,
    'syft-json',
  )
  assert.equal(syftJson.recognises(Buffer.from('{"artifacts":[{"name":"x"}]}'), ''), false)
})

test('a document without artifacts', () => {
  assert.equal(readString(syftJson, '{"artifacts":{}}').problems[0]?.code, 'wrong-format')
  assert.deepEqual(readString(syftJson, '{"artifacts":[]}'), { items: [], problems: [] })
})

survivesMutation(syftJson, JSON.stringify(document))
