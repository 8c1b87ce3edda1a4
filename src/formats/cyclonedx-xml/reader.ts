import { addComponent, addDependency, addSubject } from '../cyclonedx/component.ts'
import { checkBomVersion, checkMetadata, checkSerialNumber } from '../cyclonedx/conformity.ts'
import { minorVersion } from '../cyclonedx/versions.ts'
import type { Format, Problem, Reading } from '../format.ts'
import type { JsonObject } from '../json/safe-json.ts'
import { fatalProblem, quote } from '../problem.ts'
import { type Bill, createBill } from '../sbom/bill.ts'
import { type DocumentPosition, faults } from '../sbom/faults.ts'
import { createStatements } from '../sbom/statements.ts'
import { headText } from '../text/bytes.ts'
import { readXml, type XmlElement } from '../xml/safe-xml.ts'
import { asJson, licencesOf, own, propertiesOf } from './component.ts'
import { vulnerabilitiesIn } from './vulnerability.ts'

/** CycloneDX bills of materials in XML, versions 1.0 to 1.7. */
export const cyclonedxXml: Format = {
  id: 'cyclonedx-xml',
  title: 'CycloneDX (XML)',
  fileNames: [/\.cdx\.xml$/i, /^bom\.xml$/i],
  recognises,
  read,
}

const namespace = /^https?:\/\/cyclonedx\.org\/schema\/bom\/(.*)$/
const rootTag = /^<(?:[\w.-]{1,60}:)?bom\s[^<>]{0,8000}cyclonedx\.org\/schema\/bom\//

function recognises(head: Uint8Array): boolean {
  return rootTag.test(afterProlog(headText(head)))
}

/** From the root element on. A document type is stepped over: that it is refused is for the reader to say. */
function afterProlog(text: string): string {
  let rest = text.trimStart()
  for (;;) {
    const end = rest.startsWith('<?') ? '?>' : rest.startsWith('<!--') ? '-->' : rest.startsWith('<!') ? '>' : ''
    if (end === '') return rest
    const close = rest.startsWith('<!D') && /^[^>]*\[/.test(rest.slice(0, 2000)) ? ']>' : end
    const at = rest.indexOf(close)
    if (at === -1) return ''
    rest = rest.slice(at + close.length).trimStart()
  }
}

function read(chunks: Iterable<Uint8Array>): Reading {
  const { value: root, problem } = readXml(chunks)
  if (problem) return failed(problem)
  const address = root.attributes.get(root.prefix === '' ? 'xmlns' : `xmlns:${root.prefix}`) ?? ''
  const version = namespace.exec(address)?.[1]
  if (root.name !== 'bom' || version === undefined) {
    const detail = `The root is ${quote(root.name)} of namespace ${quote(address)}, not a CycloneDX bom.`
    return failed(fatalProblem('not-cyclonedx', detail, root.line))
  }
  const minor = minorVersion(version, 0)
  if (typeof minor !== 'number') return failed({ ...minor, line: root.line, pointer: '/bom' })
  const bill = createBill()
  takeRoot(bill, root, minor)
  const statements = createStatements()
  for (const vulnerability of vulnerabilitiesIn(root)) statements.add(vulnerability)
  const { items, problems } = bill.finish()
  if (statements.list().length === 0) return { items, problems: [...problems, ...statements.problems()] }
  return { items, problems: [...problems, ...statements.problems()], statements: statements.list() }
}

function failed(problem: Problem): Reading {
  return { items: [], problems: [problem] }
}

function takeRoot(bill: Bill, root: XmlElement, minor: number): void {
  const fault = faults(bill.problemCounts, { line: root.line, pointer: '/bom' })
  const serial = root.attributes.get('serialNumber')
  // The XML schema also takes a GUID in braces.
  if (serial !== undefined && !serial.startsWith('{')) checkSerialNumber(serial, fault)
  const version = root.attributes.get('version')
  if (version !== undefined) checkBomVersion(Number(version), fault)
  for (const metadata of own(root, 'metadata')) takeMetadata(bill, metadata, minor)
  for (const components of own(root, 'components')) {
    for (const [i, component] of own(components, 'component').entries()) {
      const place = { line: component.line, pointer: `/bom/components/component[${i + 1}]` }
      addComponent(bill, withNested(component), minor, place)
    }
  }
  for (const dependencies of own(root, 'dependencies')) {
    for (const [i, dependency] of own(dependencies, 'dependency').entries()) {
      const dependsOn = own(dependency, 'dependency').map((on) => on.attributes.get('ref') ?? '')
      const place = { line: dependency.line, pointer: `/bom/dependencies/dependency[${i + 1}]` }
      addDependency(bill, { ref: dependency.attributes.get('ref'), dependsOn }, minor, place)
    }
  }
}

function takeMetadata(bill: Bill, metadata: XmlElement, minor: number): void {
  const place: DocumentPosition = { line: metadata.line, pointer: '/bom/metadata' }
  const timestamp = own(metadata, 'timestamp')[0]?.text
  const made: JsonObject = {
    ...(timestamp === undefined ? {} : { timestamp }),
    licenses: licencesOf(own(metadata, 'licenses')[0]),
    properties: propertiesOf(metadata),
  }
  checkMetadata(made, minor, faults(bill.problemCounts, place))
  for (const component of own(metadata, 'component')) {
    addSubject(bill, withNested(component), minor, { line: component.line, pointer: `${place.pointer}/component` })
  }
}

function withNested(component: XmlElement): JsonObject {
  const components = own(component, 'components').flatMap((list) => own(list, 'component'))
  return components.length === 0 ? asJson(component) : { ...asJson(component), components: components.map(withNested) }
}
