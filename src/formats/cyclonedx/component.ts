import { elements, isObject, type JsonObject, member, text } from '../json/safe-json.ts'
import { withoutCredentials } from '../sbom/address.ts'
import type { Bill, ComponentKind, DependencyKind } from '../sbom/bill.ts'
import { type DocumentPosition, faults } from '../sbom/faults.ts'
import { nameInTrivyId } from '../sbom/identity.ts'
import { allLicences } from '../sbom/licence.ts'
import { checkShape } from '../sbom/shape.ts'
import { checkComponent, isClosed } from './conformity.ts'
import { dependency as dependencyShape } from './shapes.ts'

/** How our own writer says what the dependency graph does not show. */
export const transitivityProperty = 'gatehouse:transitivity'

/** Of packages of npm, Trivy writes name and scope as their purl has them. Their real spelling is here alone. */
const trivyIdProperty = 'aquasecurity:trivy:PkgID'

/** Properties by which tools mark what is only needed for development (CycloneDX property taxonomy). */
const developmentProperties = new Set([
  'cdx:npm:package:development',
  'cdx:composer:package:isDevRequirement',
  'cdx:maven:package:test',
])

/** What is not here is a package: a library, a framework, firmware. */
const kinds: ReadonlyMap<string, ComponentKind> = new Map([
  ['application', 'holder'],
  ['container', 'holder'],
  ['platform', 'holder'],
  ['operating-system', 'rest'],
  ['file', 'rest'],
  ['data', 'rest'],
  ['cryptographic-asset', 'rest'],
])

function withGroup(component: JsonObject): string {
  const [group, name] = [text(component, 'group').trim(), text(component, 'name').trim()]
  return group === '' || name === '' ? name : `${group}/${name}`
}

/** Adds a component in the shape of the JSON format, with those nested in it. */
export function addComponent(
  bill: Bill,
  component: unknown,
  minor: number,
  place: DocumentPosition,
  parent = '',
): void {
  const fault = faults(bill.problemCounts, place)
  if (!isObject(component)) {
    fault('invalid-component', '', 'is not an object')
    return
  }
  checkComponent(component, minor, fault)
  const ref = text(component, 'bom-ref')
  const type = text(component, 'type')
  const development = isForDevelopment(component)
  bill.add({
    ref,
    purl: text(component, 'purl'),
    name: withGroup(component),
    version: text(component, 'version'),
    cpe: text(component, 'cpe'),
    registryName: nameInTrivyId(propertyOf(component, trivyIdProperty)),
    licence: licenceOf(component),
    resolved: distributionOf(component),
    development,
    kind: kinds.get(type) ?? 'package',
    type,
    stated: statedStanding(component, development),
    ...place,
  })
  bill.link(parent, ref, 'contains')
  for (const [i, nested] of elements(member(component, 'components')).entries()) {
    addComponent(bill, nested, minor, { line: place.line, pointer: `${place.pointer}/components/${i}` }, ref)
  }
}

/** The component that the document is about. What is nested in it are its own modules, not dependencies of it. */
export function addSubject(bill: Bill, component: unknown, minor: number, place: DocumentPosition): void {
  if (!isObject(component)) return
  checkComponent(component, minor, faults(bill.problemCounts, place))
  bill.subject(text(component, 'bom-ref'))
  for (const [i, nested] of elements(member(component, 'components')).entries()) {
    addSubject(bill, nested, minor, { line: place.line, pointer: `${place.pointer}/components/${i}` })
  }
}

export function addDependency(bill: Bill, dependency: unknown, minor: number, place: DocumentPosition): void {
  const fault = faults(bill.problemCounts, place)
  checkShape(dependencyShape, dependency, isClosed(minor), fault)
  const ref = text(dependency, 'ref')
  if (ref === '') fault('invalid-dependency', '', 'has no ref')
  const on = member(dependency, 'dependsOn')
  if (on !== undefined && !Array.isArray(on)) fault('invalid-dependency', '/dependsOn', 'is not an array')
  if (new Set(elements(on)).size < elements(on).length) fault('invalid-dependency', '/dependsOn', 'names one twice')
  for (const to of elements(on)) {
    if (typeof to === 'string') bill.link(ref, to, 'depends')
    else fault('invalid-dependency', '/dependsOn', 'has something that is not a reference')
  }
}

/** Of declared and concluded licences (1.6) the concluded ones count: they are what somebody found to be true. */
function licenceOf(component: JsonObject): string {
  const choices = elements(member(component, 'licenses')).map((choice) => {
    const licence = member(choice, 'license')
    const written = text(choice, 'expression') || text(licence, 'id') || text(licence, 'name')
    return { written, concluded: [choice, licence].some((one) => text(one, 'acknowledgement') === 'concluded') }
  })
  const concluded = choices.filter((choice) => choice.concluded)
  return allLicences((concluded.length > 0 ? concluded : choices).map((choice) => choice.written))
}

function distributionOf(component: JsonObject): string {
  const references = elements(member(component, 'externalReferences'))
  return withoutCredentials(
    text(
      references.find((one) => text(one, 'type') === 'distribution'),
      'url',
    ),
  )
}

function statedStanding(component: JsonObject, development: boolean): DependencyKind | undefined {
  const transitivity = propertyOf(component, transitivityProperty)
  const known = transitivity === 'DIRECT' || transitivity === 'TRANSITIVE' || transitivity === 'UNKNOWN'
  return known ? { transitivity, development } : undefined
}

function propertyOf(component: JsonObject, name: string): string {
  const property = elements(member(component, 'properties')).find((one) => text(one, 'name') === name)
  return text(property, 'value')
}

function isForDevelopment(component: JsonObject): boolean {
  if (text(component, 'scope') === 'excluded') return true
  return elements(member(component, 'properties')).some(
    (property) => developmentProperties.has(text(property, 'name')) && text(property, 'value') === 'true',
  )
}
