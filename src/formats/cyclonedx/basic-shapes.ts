import { anything, listOf, object, oneOf, reference, type Shape, text, time } from '../sbom/shape.ts'

/* What many objects of CycloneDX share: people, licences, references, issues. All versions from 1.2 to 1.7 in one. */

const address = object({
  'bom-ref': reference,
  country: text,
  region: text,
  locality: text,
  postOfficeBoxNumber: text,
  postalCode: text,
  streetAddress: text,
})
export const person = object({ 'bom-ref': reference, name: text, email: text, phone: text })
export const organisation = object({
  'bom-ref': reference,
  name: text,
  address,
  url: listOf(text),
  contact: listOf(person),
})
const party = object({ organization: organisation, individual: person })
export const attachment = object({ contentType: text, encoding: anything, 'content!': text })
const propertyFields = object({ name: anything, value: text })
/** Further fields were only forbidden in 1.6. */
export const property: Shape = (value, _closed, ...rest) => propertyFields(value, false, ...rest)
export const hash = object({ alg: anything, content: anything })

export const externalReference = object({
  'url!': text,
  comment: text,
  'type!': oneOf(
    'vcs issue-tracker website advisories bom mailing-list social chat documentation support source-distribution ' +
      'distribution distribution-intake license build-meta build-system release-notes security-contact model-card log ' +
      'configuration evidence formulation attestation threat-model adversary-model risk-assessment ' +
      'vulnerability-assertion exploitability-statement pentest-report static-analysis-report dynamic-analysis-report ' +
      'runtime-analysis-report component-analysis-report maturity-report certification-report codified-infrastructure ' +
      'quality-metrics poam electronic-signature digital-signature rfc-9116 patent patent-family patent-assertion ' +
      'citation other',
  ),
  hashes: listOf(hash),
  properties: listOf(property),
})

const acknowledgement = oneOf('declared concluded')
const licensing = object({
  altIds: listOf(text),
  licensor: party,
  licensee: party,
  purchaser: party,
  purchaseOrder: text,
  licenseTypes: listOf(
    oneOf(
      'academic appliance client-access concurrent-user core-points custom-metric device evaluation named-user ' +
        'node-locked oem perpetual processor-points subscription user other',
    ),
  ),
  lastRenewal: time,
  expiration: time,
})
const licence = object({
  'bom-ref': reference,
  id: anything,
  name: text,
  acknowledgement,
  text: attachment,
  url: text,
  licensing,
  properties: listOf(property),
})
export const licences = listOf(
  object({
    license: licence,
    expression: text,
    expressionDetails: listOf(
      object({ 'licenseIdentifier!': text, 'bom-ref': reference, text: attachment, url: text }),
    ),
    acknowledgement,
    'bom-ref': reference,
    licensing,
    properties: listOf(property),
  }),
)

export const source = object({ name: text, url: text })
export const issue = object({
  type: anything,
  id: text,
  name: text,
  description: text,
  source,
  references: listOf(text),
})
export const releaseNotes = object({
  'type!': text,
  title: text,
  featuredImage: text,
  socialImage: text,
  description: text,
  timestamp: time,
  aliases: listOf(text),
  tags: listOf(text),
  resolves: listOf(issue),
  notes: listOf(object({ locale: text, 'text!': attachment })),
  properties: listOf(property),
})
export const action = object({ timestamp: time, name: text, email: text })
