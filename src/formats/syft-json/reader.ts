import type { Format, Problem, Reading } from '../format.ts'
import { type JsonChoice, type JsonKind, type JsonPath, readJsonStream } from '../json/json-stream.ts'
import { elements, isObject, type JsonObject, member, text } from '../json/safe-json.ts'
import { fatalProblem } from '../problem.ts'
import { type Bill, createBill } from '../sbom/bill.ts'
import { scalarsAt } from '../sbom/head.ts'
import { allLicences } from '../sbom/licence.ts'

/** What Syft writes with `-o syft-json` (github.com/anchore/syft/tree/main/schema/json). */
export const syftJson: Format = {
  id: 'syft-json',
  title: 'Syft JSON',
  fileNames: [/\.syft\.json$/i],
  recognises,
  read,
}

const schemaAddress = /anchore\/syft\/.*schema/

/** The schema stands at the end, behind thousands of artifacts; no other document has those that a cataloger found. */
function recognises(head: Uint8Array): boolean {
  const found = scalarsAt(head, ['schema/url', 'descriptor/name', 'artifacts/0/foundBy', 'artifacts/0/name'])
  if (schemaAddress.test(String(found.get('schema/url'))) || found.get('descriptor/name') === 'syft') return true
  return found.has('artifacts/0/foundBy') && found.has('artifacts/0/name')
}

function read(chunks: Iterable<Uint8Array>): Reading {
  const problems: Problem[] = []
  const bill = createBill()
  let hasArtifacts = false
  const choose = (path: JsonPath, kind: JsonKind) => {
    if (path.length === 1 && path[0] === 'artifacts') hasArtifacts = kind === 'array'
    return select(path, kind)
  }
  for (const { path, value, line } of readJsonStream(chunks, choose, problems)) {
    if (path[0] === 'artifacts') takeArtifact(bill, value, line, `/artifacts/${path[1]}`)
    else takeRelationship(bill, value)
    if (bill.isFull()) return bill.finish()
  }
  const broken = problems.find((problem) => problem.fatal)
  if (broken) return { items: [], problems: [broken] }
  if (!hasArtifacts) {
    return {
      items: [],
      problems: [fatalProblem('wrong-format', "There is no list of 'artifacts', so it is not Syft's.")],
    }
  }
  const { items, problems: noted } = bill.finish()
  return { items, problems: [...problems, ...noted] }
}

function select(path: JsonPath, kind: JsonKind): JsonChoice {
  if (path.length === 0) return kind === 'object' ? 'enter' : 'skip'
  if (path[0] !== 'artifacts' && path[0] !== 'artifactRelationships') return 'skip'
  if (path.length === 1) return kind === 'array' ? 'enter' : 'skip'
  return 'parse'
}

function takeArtifact(bill: Bill, artifact: unknown, line: number, pointer: string): void {
  if (!isObject(artifact)) {
    bill.problemCounts.note('invalid-component', '', (count) => `${count} artifacts are not objects.`, line, pointer)
    return
  }
  const [cpe] = elements(member(artifact, 'cpes'))
  bill.add({
    ref: text(artifact, 'id'),
    purl: text(artifact, 'purl'),
    name: text(artifact, 'name'),
    version: text(artifact, 'version'),
    // Since schema 11 an object; before, the text itself.
    cpe: typeof cpe === 'string' ? cpe : text(cpe, 'cpe'),
    licence: licenceOf(artifact),
    resolved: '',
    development: false,
    kind: 'package',
    type: text(artifact, 'type'),
    line,
    pointer,
  })
}

/** Texts up to schema 7, objects since. */
function licenceOf(artifact: JsonObject): string {
  const licences = elements(member(artifact, 'licenses'))
  return allLicences(
    licences.map((one) => (typeof one === 'string' ? one : text(one, 'spdxExpression') || text(one, 'value'))),
  )
}

/** The parent is needed by the child. That a package was found in an image, or owns files, tells nothing of dependencies. */
function takeRelationship(bill: Bill, relationship: unknown): void {
  if (text(relationship, 'type') !== 'dependency-of') return
  bill.link(text(relationship, 'child'), text(relationship, 'parent'), 'depends')
}
