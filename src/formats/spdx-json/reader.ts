import type { Format, Problem, Reading } from '../format.ts'
import { type JsonChoice, type JsonKind, type JsonPart, type JsonPath, readJsonStream } from '../json/json-stream.ts'
import { elements, isObject, type JsonObject, member, text } from '../json/safe-json.ts'
import { type Bill, createBill } from '../sbom/bill.ts'
import { scalarsAt } from '../sbom/head.ts'
import { nameInTrivyId } from '../sbom/identity.ts'
import { addPackage, isCpeReference, isPurlReference } from '../spdx/package.ts'
import { addRelationship } from '../spdx/relationships.ts'
import { refuseVersion } from '../spdx/versions.ts'
import { createConformity } from './conformity.ts'
import { createExtractedLicences } from './extracted.ts'
import { annotatedStanding } from './standing.ts'

/** SPDX 2.2 and 2.3 documents in JSON. */
export const spdxJson: Format = {
  id: 'spdx-json',
  title: 'SPDX 2 (JSON)',
  fileNames: [/\.spdx\.json$/i],
  recognises,
  read,
}

/** GitHub's REST API gives the document of a repository as the only member of an object. */
const wrapper = 'sbom'

/** Large documents have thousands of files or packages before they come to their version. */
const placesOfIds = ['SPDXID', 'packages/0/SPDXID', 'files/0/SPDXID', 'relationships/0/spdxElementId']

function recognises(head: Uint8Array): boolean {
  const found = scalarsAt(head, ['spdxVersion', `${wrapper}/spdxVersion`, `${wrapper}/SPDXID`, ...placesOfIds])
  if (found.has(`${wrapper}/spdxVersion`) || found.has(`${wrapper}/SPDXID`)) return true
  if (/^SPDX-/.test(String(found.get('spdxVersion')))) return true
  return placesOfIds.some((place) => /^SPDXRef-/.test(String(found.get(place))))
}

function read(chunks: Iterable<Uint8Array>): Reading {
  const problems: Problem[] = []
  const bill = createBill()
  const conformity = createConformity(bill.problemCounts)
  const extracted = createExtractedLicences()
  let spdxVersion: unknown
  const choose = (whole: JsonPath, kind: JsonKind) => {
    const path = inDocument(whole)
    if (path.length === 1) conformity.documentHas(String(path[0]))
    return select(path, kind)
  }
  for (const given of readJsonStream(chunks, choose, problems)) {
    const part = { ...given, path: inDocument(given.path) }
    if (part.path.length === 1 && part.path[0] === 'spdxVersion') {
      spdxVersion = part.value
      const refused = refuseVersion(spdxVersion, part.line)
      if (refused) return { items: [], problems: [refused] }
    } else if (part.path[0] === 'hasExtractedLicensingInfos') {
      extracted.take(Number(part.path[1]), String(part.path[2]), part.value)
    } else if (part.path.length === 1 && plainFields.has(String(part.path[0]))) {
      conformity.checkField(String(part.path[0]), part.value, part.line)
    } else {
      const pointer = `/${part.path.join('/')}`
      if (part.path[0] === 'packages') conformity.checkPackage(part.value, part.line, pointer)
      else if (part.path[0] === 'relationships') conformity.checkRelationship(part.value, part.line, pointer)
      take(bill, part)
      if (bill.isFull()) return bill.finish()
    }
  }
  const broken = problems.find((problem) => problem.fatal) ?? refuseVersion(spdxVersion, 0)
  if (broken) return { items: [], problems: [broken] }
  conformity.finish(spdxVersion)
  const { items, problems: noted } = bill.finish()
  extracted.nameIn(items)
  return { items, problems: [...problems, ...noted] }
}

/** Of no use to an inventory: only looked at. */
const plainFields = new Set([
  'SPDXID',
  'annotations',
  'comment',
  'creationInfo',
  'dataLicense',
  'documentNamespace',
  'externalDocumentRefs',
  'name',
])

function inDocument(path: JsonPath): JsonPath {
  return path[0] === wrapper ? path.slice(1) : path
}

function select(path: JsonPath, kind: JsonKind): JsonChoice {
  const [key] = path
  if (path.length === 0) return 'enter'
  if (key === 'packages' || key === 'relationships') return path.length === 1 && kind === 'array' ? 'enter' : 'parse'
  if (key === 'hasExtractedLicensingInfos') {
    if (path.length < 3) return kind === 'scalar' ? 'skip' : 'enter'
    return kind === 'scalar' && (path[2] === 'licenseId' || path[2] === 'name') ? 'parse' : 'skip'
  }
  return key === 'spdxVersion' || key === 'documentDescribes' || plainFields.has(String(key)) ? 'parse' : 'skip'
}

function take(bill: Bill, { path, value, line }: JsonPart): void {
  const [key, index] = path
  if (key === 'documentDescribes') {
    for (const id of elements(value)) if (typeof id === 'string') bill.describes(id)
  } else if (!isObject(value)) {
    const describe = (count: number) => `${count} packages or relationships are not objects.`
    bill.problemCounts.note('invalid-document', '', describe, line, `/${path.join('/')}`)
  } else if (key === 'packages') {
    const pointer = `/packages/${index}`
    const references = elements(member(value, 'externalRefs'))
    addPackage(bill, {
      id: text(value, 'SPDXID'),
      name: text(value, 'name'),
      version: text(value, 'versionInfo'),
      download: text(value, 'downloadLocation'),
      concluded: text(value, 'licenseConcluded'),
      declared: text(value, 'licenseDeclared'),
      purls: references
        .filter((one) => isPurlReference(text(one, 'referenceType')))
        .map((one) => text(one, 'referenceLocator')),
      cpe: text(
        references.find((one) => isCpeReference(text(one, 'referenceType'))),
        'referenceLocator',
      ),
      registryName: nameInTrivyId(trivyIdOf(value)),
      purpose: text(value, 'primaryPackagePurpose'),
      stated: annotatedStanding(value),
      line,
      pointer,
    })
  } else {
    const type = text(value, 'relationshipType')
    addRelationship(bill, text(value, 'spdxElementId'), type, text(value, 'relatedSpdxElement'))
  }
}

/** Trivy has what it calls a package among the annotations, and had it among the attributions before 0.57. */
function trivyIdOf(spdx: JsonObject): string {
  const comments = elements(member(spdx, 'annotations')).map((annotation) => text(annotation, 'comment'))
  const all = [...comments, ...elements(member(spdx, 'attributionTexts'))]
  return all.map((one) => (typeof one === 'string' ? /^PkgID: (.*)$/.exec(one)?.[1] : undefined)).find(Boolean) ?? ''
}
