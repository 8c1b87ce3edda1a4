import { asText, elements, isObject, type JsonObject, member, text } from '../json/safe-json.ts'
import { isLicenceId } from '../sbom/licence.ts'
import { checkShape, type Fault, isTime } from '../sbom/shape.ts'
import * as shapes from './shapes.ts'

const words = (list: string) => new Set(list.split(' '))

export const documentKeys = words(
  '$schema bomFormat specVersion serialNumber version metadata components services externalReferences dependencies ' +
    'compositions vulnerabilities annotations formulation declarations definitions citations properties signature',
)
const componentTypes = words(
  'application framework library container platform operating-system device device-driver firmware file ' +
    'machine-learning-model data cryptographic-asset',
)
const scopes = words('required optional excluded')
const hashes = words(
  'MD5 SHA-1 SHA-256 SHA-384 SHA-512 SHA3-256 SHA3-384 SHA3-512 BLAKE2b-256 BLAKE2b-384 BLAKE2b-512 BLAKE3 ' +
    'Streebog-256 Streebog-512',
)
const hashLengths = new Set([32, 40, 64, 96, 128])
const patchTypes = words('unofficial monkey backport cherry-pick')
const issueTypes = words('defect enhancement security')
const flows = words('inbound outbound bi-directional unknown')
const justifications = words(
  'code_not_present code_not_reachable requires_configuration requires_dependency requires_environment ' +
    'protected_by_compiler protected_at_runtime protected_at_perimeter protected_by_mitigating_control',
)
const states = words('resolved resolved_with_pedigree exploitable in_triage false_positive not_affected')
const serial = /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export function checkSerialNumber(value: unknown, fault: Fault): void {
  if (typeof value !== 'string' || !serial.test(value)) fault('invalid-serial-number', '', 'is not a urn:uuid')
}

export function checkBomVersion(value: unknown, fault: Fault): void {
  if (!Number.isInteger(value) || Number(value) < 1) fault('invalid-bom-version', '', 'is not a whole number from 1 up')
}

export function checkMetadata(metadata: JsonObject, minor: number, fault: Fault): void {
  checkShape(shapes.metadata, metadata, isClosed(minor), fault)
  const timestamp = member(metadata, 'timestamp')
  if (timestamp !== undefined && !isTime(asText(timestamp))) {
    fault('invalid-timestamp', '/timestamp', 'is not an RFC 3339 date and time')
  }
  checkLicences(metadata, minor, fault)
  checkProperties(metadata, fault)
  const tools = member(metadata, 'tools')
  for (const [i, service] of elements(member(tools, 'services')).entries()) {
    checkService(service, minor, (code, at, detail) => fault(code, `/tools/services/${i}${at}`, detail))
  }
  for (const [i, component] of elements(member(tools, 'components')).entries()) {
    if (!isObject(component)) continue
    checkComponent(component, minor, (code, at, detail) => fault(code, `/tools/components/${i}${at}`, detail))
  }
}

export function checkComponent(component: JsonObject, minor: number, fault: Fault): void {
  checkShape(shapes.component, component, isClosed(minor), fault)
  if (minor <= 3 && member(component, 'version') === undefined) fault('missing-field', '', 'has no version')
  const type = text(component, 'type')
  if (!componentTypes.has(type)) fault('invalid-component-type', '/type', 'is missing or no component type')
  if (text(component, 'name') === '') fault('missing-name', '', 'has no name')
  if (member(component, 'bom-ref') === '') fault('invalid-ref', '/bom-ref', 'is empty')
  const scope = member(component, 'scope')
  if (scope !== undefined && !scopes.has(asText(scope))) fault('invalid-scope', '/scope', 'is not a scope')
  for (const [i, hash] of elements(member(component, 'hashes')).entries()) {
    if (!hashes.has(text(hash, 'alg'))) fault('invalid-hash', `/hashes/${i}/alg`, 'is not a known algorithm')
    const content = text(hash, 'content')
    if (!hashLengths.has(content.length) || !/^[a-fA-F0-9]+$/.test(content)) {
      fault('invalid-hash', `/hashes/${i}/content`, 'is not a hash')
    }
  }
  checkLicences(component, minor, fault)
  checkProperties(component, fault)
  checkPatches(component, fault)
  const swid = member(component, 'swid')
  if (swid !== undefined && (text(swid, 'tagId') === '' || text(swid, 'name') === '')) {
    fault('invalid-swid', '/swid', 'needs a tagId and a name')
  }
  if (member(component, 'versionRange') !== undefined) {
    if (member(component, 'version') !== undefined)
      fault('invalid-version-range', '/versionRange', 'stands beside version')
    if (member(component, 'isExternal') !== true)
      fault('invalid-version-range', '/versionRange', 'is not of an external component')
  }
}

function checkPatches(component: JsonObject, fault: Fault): void {
  for (const [i, patch] of elements(member(member(component, 'pedigree'), 'patches')).entries()) {
    const at = `/pedigree/patches/${i}`
    if (!patchTypes.has(text(patch, 'type'))) fault('invalid-patch', `${at}/type`, 'is not a type of patch')
    for (const [j, issue] of elements(member(patch, 'resolves')).entries()) {
      if (!issueTypes.has(text(issue, 'type')))
        fault('invalid-issue', `${at}/resolves/${j}/type`, 'is not a type of issue')
    }
  }
}

function checkLicences(owner: JsonObject, minor: number, fault: Fault): void {
  const licences = elements(member(owner, 'licenses'))
  const expressions = licences.filter((licence) => member(licence, 'expression') !== undefined).length
  // One expression, or any number of licences: a rule of 1.5 and 1.6 alone.
  if ((minor === 5 || minor === 6) && expressions > 0 && licences.length > 1) {
    fault('invalid-licence', '/licenses', 'mixes an expression with others')
  }
  for (const [i, choice] of licences.entries()) {
    const at = `/licenses/${i}`
    const licence = member(choice, 'license')
    const expression = member(choice, 'expression')
    if ((licence === undefined) === (expression === undefined)) {
      fault('invalid-licence', at, 'must have either a license or an expression')
    }
    if (!isObject(licence)) continue
    const id = member(licence, 'id')
    const name = member(licence, 'name')
    if ((id === undefined) === (name === undefined)) fault('invalid-licence', at, 'must have either an id or a name')
    if (id !== undefined && !isLicenceId(asText(id)))
      fault('unknown-licence', `${at}/license/id`, 'is not on the SPDX list')
    const encoding = member(member(licence, 'text'), 'encoding')
    if (encoding !== undefined && encoding !== 'base64')
      fault('invalid-licence', `${at}/license/text`, 'is not in base64')
    checkProperties(licence, (code, place, detail) => fault(code, `${at}/license${place}`, detail))
  }
}

function checkProperties(owner: JsonObject, fault: Fault): void {
  for (const [i, property] of elements(member(owner, 'properties')).entries()) {
    if (text(property, 'name') === '') fault('invalid-property', `/properties/${i}`, 'has no name')
  }
}

export function checkService(service: unknown, minor: number, fault: Fault): void {
  if (!isObject(service)) {
    fault('invalid-service', '', 'is not an object')
    return
  }
  checkShape(shapes.service, service, isClosed(minor), fault)
  if (text(service, 'name') === '') fault('missing-name', '', 'has no name')
  checkProperties(service, fault)
  checkLicences(service, minor, fault)
  for (const [i, data] of elements(member(service, 'data')).entries()) {
    if (!flows.has(text(data, 'flow'))) fault('invalid-service', `/data/${i}/flow`, 'is not a direction')
  }
  for (const [i, inner] of elements(member(service, 'services')).entries()) {
    checkService(inner, minor, (code, at, detail) => fault(code, `/services/${i}${at}`, detail))
  }
}

/** CycloneDX 1.7, citations: exactly one of pointers and expressions, and whoever or whatever it is attributed to. */
export function checkCitation(citation: unknown, fault: Fault): void {
  checkShape(shapes.citation, citation, true, fault)
  const has = (key: string) => member(citation, key) !== undefined
  if (has('pointers') === has('expressions')) fault('invalid-citation', '', 'needs either pointers or expressions')
  if (!has('attributedTo') && !has('process')) fault('invalid-citation', '', 'needs attributedTo or process')
}

export function checkVulnerability(vulnerability: unknown, minor: number, fault: Fault): void {
  checkShape(shapes.vulnerability, vulnerability, isClosed(minor), fault)
  const analysis = member(vulnerability, 'analysis')
  for (const [key, known] of [['state', states] as const, ['justification', justifications] as const]) {
    const value = member(analysis, key)
    if (value !== undefined && !known.has(asText(value)))
      fault('invalid-analysis', `/analysis/${key}`, 'is none of the allowed values')
  }
}

/** The schemas of 1.2 and 1.3 allow further fields. */
export function isClosed(minor: number): boolean {
  return minor > 3
}
