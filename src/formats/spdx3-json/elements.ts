import { elements, isObject, type JsonObject, member, text } from '../json/safe-json.ts'
import { withoutCredentials } from '../sbom/address.ts'
import type { Bill, ComponentKind } from '../sbom/bill.ts'
import { allLicences, stated } from '../sbom/licence.ts'
import { packageKind } from '../spdx/package.ts'
import { addRelationship, plainType } from '../spdx/relationships.ts'

type FoundElements = {
  id: string
  purl: string
  /** Identifiers that are elements of their own, written elsewhere in the graph. */
  identifiers: string[]
  name: string
  version: string
  cpe: string
  resolved: string
  kind: ComponentKind
  type: string
  line: number
  pointer: string
}

const packageTypes = new Set(['software_Package', 'ai_AIPackage', 'dataset_DatasetPackage'])
const collectionTypes = new Set(['SpdxDocument', 'software_Sbom', 'Bom', 'Bundle'])

/** Collects the elements of an SPDX 3 graph, which come in any order and refer to each other by id. */
export function createElements(bill: Bill) {
  const packages: FoundElements[] = []
  const purls = new Map<string, string>()
  const licenceTexts = new Map<string, string>()
  const concluded = new Map<string, string[]>()
  const declared = new Map<string, string[]>()

  /** Gives the version of the specification where the element says one. */
  function take(element: unknown, line: number, pointer: string): string | undefined {
    if (!isObject(element)) {
      bill.problemCounts.note('invalid-element', '', (count) => `${count} elements are not objects.`, line, pointer)
      return undefined
    }
    const type = text(element, 'type') || text(element, '@type')
    if (packageTypes.has(type)) packages.push(packageOf(element, line, pointer))
    else if (type === 'ExternalIdentifier') {
      if (isPurl(element)) purls.set(idOf(element), text(element, 'identifier'))
    } else if (type === 'CreationInfo') return creationVersion(element, line, pointer)
    else if (/^(?:simplelicensing|expandedlicensing)_|^AnyLicenseInfo$/.test(type)) {
      licenceTexts.set(idOf(element), licenceText(element))
    } else if (collectionTypes.has(type)) {
      for (const root of elements(member(element, 'rootElement'))) if (typeof root === 'string') bill.describes(root)
    } else if (member(element, 'relationshipType') !== undefined) takeRelationship(element)
    return undefined
  }

  function creationVersion(element: JsonObject, line: number, pointer: string): string | undefined {
    for (const field of ['specVersion', 'created', 'createdBy']) {
      const value = member(element, field)
      if (value !== undefined && !(Array.isArray(value) && value.length === 0)) continue
      bill.problemCounts.note(
        'missing-field',
        field,
        (count) => `${count} creation infos have no ${field}.`,
        line,
        pointer,
      )
    }
    return text(element, 'specVersion') || undefined
  }

  function takeRelationship(element: JsonObject): void {
    const from = text(element, 'from')
    const type = text(element, 'relationshipType')
    const development = ['development', 'test'].includes(text(element, 'scope'))
    for (const to of elements(member(element, 'to'))) {
      if (typeof to !== 'string') continue
      const plain = plainType(type)
      if (plain === 'hasconcludedlicense') append(concluded, from, to)
      else if (plain === 'hasdeclaredlicense') append(declared, from, to)
      else addRelationship(bill, from, type, to, development)
    }
  }

  function licenceFor(id: string): string {
    const texts = (of: Map<string, string[]>) =>
      (of.get(id) ?? []).map((one) => stated(licenceTexts.get(one) ?? listed(one)))
    return allLicences(texts(concluded)) || allLicences(texts(declared))
  }

  function finish(): void {
    for (const { id, identifiers, purl, ...rest } of packages) {
      bill.add({
        ...rest,
        ref: id,
        purl: purl || identifiers.map((one) => purls.get(one)).find((one) => one !== undefined) || '',
        licence: licenceFor(id),
        development: false,
      })
    }
  }

  return { take, finish }
}

function packageOf(element: JsonObject, line: number, pointer: string): FoundElements {
  const identifiers = elements(member(element, 'externalIdentifier'))
  const purpose = text(element, 'software_primaryPurpose')
  return {
    id: idOf(element),
    purl: text(element, 'software_packageUrl') || text(identifiers.find(isPurl), 'identifier'),
    identifiers: identifiers.filter((one) => typeof one === 'string'),
    name: text(element, 'name'),
    version: text(element, 'software_packageVersion'),
    cpe: text(identifiers.find(isCpe), 'identifier'),
    resolved: withoutCredentials(stated(text(element, 'software_downloadLocation'))),
    kind: packageKind(purpose),
    type: purpose || text(element, 'type') || text(element, '@type'),
    line,
    pointer,
  }
}

function idOf(element: JsonObject): string {
  return text(element, 'spdxId') || text(element, '@id')
}

/** `packageUrl` is the name in the specification; `purl` is what some tools write. */
function isPurl(identifier: unknown): boolean {
  return ['packageUrl', 'purl'].includes(text(identifier, 'externalIdentifierType'))
}

function isCpe(identifier: unknown): boolean {
  return ['cpe22', 'cpe23'].includes(text(identifier, 'externalIdentifierType'))
}

function licenceText(element: JsonObject): string {
  return text(element, 'simplelicensing_licenseExpression') || listed(idOf(element)) || text(element, 'name')
}

/** A listed licence may be named by its address alone. */
function listed(id: string): string {
  return /^https?:\/\/spdx\.org\/licenses\/([A-Za-z0-9.+-]+)$/.exec(id)?.[1] ?? ''
}

function append(to: Map<string, string[]>, key: string, value: string): void {
  const known = to.get(key)
  if (known) known.push(value)
  else to.set(key, [value])
}
