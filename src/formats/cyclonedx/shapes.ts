import {
  anything,
  flag,
  listOf,
  listOr,
  number,
  object,
  oneOf,
  record,
  reference,
  type Shape,
  text,
  time,
  whole,
} from '../sbom/shape.ts'
import {
  action,
  attachment,
  externalReference,
  hash,
  issue,
  licences,
  organisation,
  person,
  property,
  releaseNotes,
  source,
} from './basic-shapes.ts'

/*
 * The objects of CycloneDX 1.2 to 1.7 (ECMA-424), all versions in one. What `conformity.ts` looks at itself is
 * `anything` here. Machine learning, cryptography, formulation and attestations have nothing to do with an inventory.
 */

const relatives = listOf((...given) => component(...given))
const pedigree = object({
  ancestors: relatives,
  descendants: relatives,
  variants: relatives,
  commits: listOf(object({ uid: text, url: text, author: action, committer: action, message: text })),
  patches: listOf(object({ type: anything, diff: object({ text: attachment, url: text }), resolves: listOf(issue) })),
  notes: text,
})

const identity = object({
  'field!': oneOf('group name version purl cpe omniborId swhid swid hash'),
  confidence: number,
  concludedValue: text,
  methods: listOf(
    object({
      'technique!': oneOf(
        'source-code-analysis binary-analysis manifest-analysis ast-fingerprint hash-comparison instrumentation ' +
          'dynamic-analysis filename attestation other',
      ),
      'confidence!': number,
      value: text,
    }),
  ),
  tools: listOf(reference),
})
const evidence = object({
  identity: listOr(listOf(identity), identity),
  occurrences: listOf(
    object({
      'bom-ref': reference,
      'location!': text,
      line: whole,
      offset: whole,
      symbol: text,
      additionalContext: text,
    }),
  ),
  callstack: object({
    frames: listOf(
      object({
        package: text,
        'module!': text,
        function: text,
        parameters: listOf(text),
        line: whole,
        column: whole,
        fullFilename: text,
      }),
    ),
  }),
  licenses: licences,
  copyright: listOf(object({ 'text!': text })),
})

export const component: Shape = object({
  type: anything,
  'mime-type': text,
  'bom-ref': text,
  supplier: organisation,
  manufacturer: organisation,
  authors: listOf(person),
  author: text,
  publisher: text,
  group: text,
  name: text,
  version: text,
  versionRange: text,
  isExternal: flag,
  description: text,
  scope: anything,
  hashes: listOf(hash),
  licenses: licences,
  copyright: text,
  patentAssertions: listOf(record),
  cpe: text,
  purl: text,
  omniborId: listOf(text),
  swhid: listOf(text),
  swid: object({
    tagId: text,
    name: text,
    version: text,
    tagVersion: whole,
    patch: flag,
    text: attachment,
    url: text,
  }),
  modified: flag,
  pedigree,
  externalReferences: listOf(externalReference),
  components: listOf(anything),
  evidence,
  releaseNotes,
  modelCard: record,
  data: listOf(record),
  cryptoProperties: record,
  properties: listOf(property),
  tags: listOf(text),
  signature: record,
})

const responsible = listOf(object({ organization: organisation, contact: person }))

export const service: Shape = object({
  'bom-ref': reference,
  provider: organisation,
  group: text,
  name: text,
  version: text,
  description: text,
  endpoints: listOf(text),
  authenticated: flag,
  'x-trust-boundary': flag,
  trustZone: text,
  data: listOf(
    object({
      flow: anything,
      'classification!': text,
      name: text,
      description: text,
      governance: object({ custodians: responsible, stewards: responsible, owners: responsible }),
      source: listOf(text),
      destination: listOf(text),
    }),
  ),
  licenses: licences,
  patentAssertions: listOf(record),
  externalReferences: listOf(externalReference),
  services: listOf(anything),
  releaseNotes,
  properties: listOf(property),
  tags: listOf(text),
  signature: record,
})

const tools = listOr(
  listOf(
    object({
      vendor: text,
      name: text,
      version: text,
      hashes: listOf(hash),
      externalReferences: listOf(externalReference),
    }),
  ),
  object({ components: listOf(record), services: listOf(anything) }),
)

export const metadata: Shape = object({
  timestamp: anything,
  lifecycles: listOf(
    object({
      phase: oneOf('design pre-build build post-build operations discovery decommission'),
      name: text,
      description: text,
    }),
  ),
  tools,
  authors: listOf(person),
  component: record,
  manufacture: organisation,
  manufacturer: organisation,
  supplier: organisation,
  licenses: licences,
  properties: listOf(property),
  distributionConstraints: object({ tlp: oneOf('CLEAR GREEN AMBER AMBER_AND_STRICT RED') }),
})

export const dependency = object({ ref: anything, dependsOn: anything, provides: listOf(reference) })

export const composition = object({
  'bom-ref': reference,
  'aggregate!': oneOf(
    'complete incomplete incomplete_first_party_only incomplete_first_party_proprietary_only ' +
      'incomplete_first_party_opensource_only incomplete_third_party_only incomplete_third_party_proprietary_only ' +
      'incomplete_third_party_opensource_only unknown not_specified',
  ),
  assemblies: listOf(reference),
  dependencies: listOf(text),
  vulnerabilities: listOf(text),
  signature: record,
})

export const annotation = object({
  'bom-ref': reference,
  'subjects!': listOf(reference),
  'annotator!': object({ organization: organisation, individual: person, component, service }),
  'timestamp!': time,
  'text!': text,
  signature: record,
})

export const citation = object({
  'bom-ref': reference,
  pointers: listOf(text),
  expressions: listOf(text),
  'timestamp!': time,
  attributedTo: reference,
  process: reference,
  note: text,
  signature: record,
})

export const vulnerability = object({
  'bom-ref': reference,
  id: text,
  source,
  references: listOf(object({ 'id!': text, 'source!': source })),
  ratings: listOf(
    object({
      source,
      score: number,
      severity: oneOf('critical high medium low info none unknown'),
      method: oneOf('CVSSv2 CVSSv3 CVSSv31 CVSSv4 OWASP SSVC other'),
      vector: text,
      justification: text,
    }),
  ),
  cwes: listOf(whole),
  description: text,
  detail: text,
  recommendation: text,
  workaround: text,
  proofOfConcept: record,
  advisories: listOf(object({ title: text, 'url!': text })),
  created: time,
  published: time,
  updated: time,
  rejected: time,
  credits: object({ organizations: listOf(organisation), individuals: listOf(person) }),
  tools,
  analysis: object({
    state: anything,
    justification: anything,
    response: listOf(oneOf('can_not_fix will_not_fix update rollback workaround_available')),
    detail: text,
    firstIssued: time,
    lastUpdated: time,
  }),
  affects: listOf(
    object({
      'ref!': reference,
      versions: listOf(object({ version: text, range: text, status: oneOf('affected unaffected unknown') })),
    }),
  ),
  properties: listOf(property),
})

export const documentProperty = object({ 'name!': text, value: text })
