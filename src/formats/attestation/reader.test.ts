import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parts, readString, survivesMutation } from '../../../test/lockfile-suite.ts'
import { recogniseFormat } from '../registry.ts'
import { attestation } from './reader.ts'

const bom = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  components: [
    { type: 'library', 'bom-ref': 'a', name: 'a', version: '1.0.0', purl: 'pkg:npm/a@1.0.0' },
    { type: 'library', 'bom-ref': 'curl', name: 'curl', purl: 'pkg:deb/debian/curl@7.88.1-10' },
    { type: 'library', name: 'x', purl: 'pkg:maven/@1' },
  ],
  dependencies: [{ ref: 'a', dependsOn: ['curl'] }],
  vulnerabilities: [{ id: 'CVE-2024-1', analysis: { state: 'not_affected' }, affects: [{ ref: 'a' }] }],
}
const spdx = {
  spdxVersion: 'SPDX-2.3',
  SPDXID: 'SPDXRef-DOCUMENT',
  packages: [{ SPDXID: 'SPDXRef-b', name: 'b', versionInfo: '2.0', downloadLocation: 'NOASSERTION' }],
}
const tagValue = 'SPDXVersion: SPDX-2.3\nPackageName: c\nSPDXID: SPDXRef-c\nPackageVersion: 3.0\n'
const syft = { artifacts: [{ name: 'd', version: '4', foundBy: 'x', purl: 'pkg:npm/d@4' }], schema: {} }

const statement = (predicate: unknown, predicateType = 'https://cyclonedx.org/bom') => ({
  _type: 'https://in-toto.io/Statement/v1',
  subject: [{ name: 'image', digest: { sha256: 'a'.repeat(64) } }],
  predicateType,
  predicate,
})
const envelope = (payload: unknown, payloadType = 'application/vnd.in-toto+json') => ({
  payloadType,
  payload: Buffer.from(JSON.stringify(payload)).toString('base64'),
  signatures: [{ keyid: '', sig: 'MEUC' }],
})
const { payload, ...payloadLast } = envelope(statement(bom))

const wrapped: [what: string, document: unknown, expected: string[]][] = [
  ['a statement', statement(bom), ['a@1.0.0', 'curl@7.88.1-10']],
  ['an envelope', envelope(statement(bom)), ['a@1.0.0', 'curl@7.88.1-10']],
  ['an envelope with its payload first', { payload, ...payloadLast }, ['a@1.0.0', 'curl@7.88.1-10']],
  [
    'a sigstore bundle',
    { mediaType: 'x', verificationMaterial: {}, dsseEnvelope: envelope(statement(bom)) },
    ['a@1.0.0', 'curl@7.88.1-10'],
  ],
  [
    'an envelope around the bill itself',
    envelope(bom, 'application/vnd.cyclonedx+json'),
    ['a@1.0.0', 'curl@7.88.1-10'],
  ],
  ['SPDX', envelope(statement(spdx, 'https://spdx.dev/Document')), ['b@2.0']],
  [
    'what cosign makes of SPDX',
    envelope(statement({ Data: spdx, Timestamp: 'x' }, 'https://spdx.dev/Document')),
    ['b@2.0'],
  ],
  ['what cosign makes of tag-value', envelope(statement({ Data: tagValue }, 'https://spdx.dev/Document')), ['c@3.0']],
  ['what Syft attests', envelope(statement(syft, 'https://syft.dev/bom')), ['d@4']],
]
for (const [what, document, expected] of wrapped) {
  test(`${what} is taken for what is in it`, () => {
    const bytes = Buffer.from(JSON.stringify(document))
    assert.equal(recogniseFormat(bytes, '')?.id, 'attestation')
    assert.equal(recogniseFormat(Buffer.from(JSON.stringify(document, null, 2)), '')?.id, 'attestation')
    const reading = attestation.read([bytes], '')
    assert.deepEqual(parts(reading), expected)
    assert.ok(reading.items.every((item) => item.line === 0))
  })
}

test('a long payload that stands first is known by its beginning', () => {
  const long = {
    ...bom,
    components: Array.from({ length: 3000 }, (_, i) => ({ ...bom.components[0], 'bom-ref': `r${i}` })),
  }
  const { payload: text, ...rest } = envelope(statement(long))
  const bytes = Buffer.from(JSON.stringify({ payload: text, ...rest }))
  assert.equal(recogniseFormat(bytes.subarray(0, 65536), '')?.id, 'attestation')
  assert.equal(attestation.read([bytes], '').items.length, 3000)
})

test('problems and statements of the bill come along, with the way to them', () => {
  const bare = readString(attestation, JSON.stringify(statement(bom)))
  assert.deepEqual(
    bare.problems.map(({ code, pointer, line }) => [code, pointer, line]),
    [['invalid-purl', '/predicate/components/2', 0]],
  )
  assert.equal(readString(attestation, JSON.stringify(envelope(statement(bom)))).problems[0]?.pointer, '/components/2')
  assert.deepEqual(
    bare.statements?.map(({ vulnerability, state, affects }) => [vulnerability, state, affects]),
    [['CVE-2024-1', 'not_affected', ['a']]],
  )
})

test('several in lines, of which some are about something else', () => {
  const provenance = envelope(statement({ buildType: 'x' }, 'https://slsa.dev/provenance/v1'))
  const lines = [provenance, envelope(statement(bom)), envelope(statement(bom))].map((one) => JSON.stringify(one))
  const { items, problems, statements } = readString(attestation, `${lines.join('\n')}\n`)
  assert.equal(items.length, 4)
  assert.equal(new Set(items.map(({ key }) => key)).size, 4)
  assert.deepEqual(items[2]?.dependsOn, [items[3]?.key])
  assert.deepEqual([problems[0]?.code, problems[0]?.line, statements?.length], ['bad-entry', 1, 2])
})

const refused: [what: string, document: unknown][] = [
  ['provenance', envelope(statement({ buildType: 'x' }, 'https://slsa.dev/provenance/v1'))],
  ['no predicate', envelope({ _type: 'https://in-toto.io/Statement/v1' })],
  ['another payload', envelope(bom, 'application/vnd.docker.container.image.v1+json')],
  ['a payload that is not JSON', { payloadType: 'application/vnd.in-toto+json', payload: 'AAAA' }],
  ['an attestation of an attestation', statement(statement(bom))],
  ['a text', statement('x')],
]
for (const [what, document] of refused) {
  test(`${what} ends in one problem`, () => {
    const { items, problems } = readString(attestation, JSON.stringify(document))
    assert.deepEqual([items, problems.map(({ fatal }) => fatal)], [[], [true]])
  })
}

test('envelopes in envelopes are not opened without end', () => {
  let nested: object = envelope(statement(bom))
  for (let i = 0; i < 2; i++) nested = envelope(nested)
  assert.equal(readString(attestation, JSON.stringify(nested)).items.length, 2)
  for (let i = 0; i < 3; i++) nested = envelope(nested)
  const { items, problems } = readString(attestation, JSON.stringify(nested))
  assert.deepEqual(items, [])
  assert.match(problems[0]?.detail ?? '', /layers/)
})

survivesMutation(attestation, JSON.stringify(envelope(statement(bom))))
