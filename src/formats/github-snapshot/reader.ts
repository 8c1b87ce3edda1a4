import type { Format, Problem, Reading } from '../format.ts'
import { type JsonKind, type JsonPath, readJsonStream } from '../json/json-stream.ts'
import { elements, member, outline, text } from '../json/safe-json.ts'
import { fatalProblem } from '../problem.ts'
import { type Bill, createBill } from '../sbom/bill.ts'
import { headText } from '../text/bytes.ts'
import { chosenParts } from '../tool-report/chosen-parts.ts'

/**
 * A snapshot of dependencies, as GitHub's dependency submission API takes it: what `trivy --format github` and build plug-ins
 * write. The manifests of one are read as one list.
 */
export const githubSnapshot: Format = {
  id: 'github-snapshot',
  title: 'GitHub dependency snapshot',
  fileNames: [/\.dependency-snapshot\.json$/i],
  recognises,
  read,
}

/** The manifests may stand far behind, after whatever metadata a detector adds. */
function recognises(head: Uint8Array): boolean {
  const members = outline(headText(head), 2)
  return members.has('/detector/name') && (members.has('/manifests') || members.has('/job/correlator'))
}

const choosePackages = chosenParts('manifests/*/resolved/*')

function read(chunks: Iterable<Uint8Array>): Reading {
  const problems: Problem[] = []
  const bill = createBill()
  let hasManifests = false
  const choose = (path: JsonPath, kind: JsonKind) => {
    if (path.length === 1 && path[0] === 'manifests') hasManifests = kind === 'object'
    return choosePackages(path, kind)
  }
  for (const { path, value, line } of readJsonStream(chunks, choose, problems)) {
    takePackage(bill, path, value, line)
    if (bill.isFull()) return bill.finish()
  }
  const broken = problems.find((problem) => problem.fatal)
  if (broken) return { items: [], problems: [broken] }
  if (!hasManifests) {
    return { items: [], problems: [fatalProblem('wrong-format', "There are no 'manifests', so it is not a snapshot.")] }
  }
  const { items, problems: noted } = bill.finish()
  return { items, problems: [...problems, ...noted] }
}

function takePackage(bill: Bill, path: JsonPath, value: unknown, line: number): void {
  const [, manifest, , key] = path
  const pointer = `/manifests/${manifest}/resolved/${key}`.slice(0, 400)
  const ref = (name: string) => `${manifest}\n${name}`
  const relationship = text(value, 'relationship')
  bill.add({
    ref: ref(String(key)),
    purl: text(value, 'package_url'),
    name: String(key),
    registryName: String(key),
    version: '',
    cpe: '',
    licence: '',
    resolved: '',
    development: false,
    kind: 'package',
    type: '',
    stated: {
      transitivity: relationship === 'direct' ? 'DIRECT' : relationship === 'indirect' ? 'TRANSITIVE' : 'UNKNOWN',
      development: text(value, 'scope') === 'development',
    },
    line,
    pointer,
  })
  for (const needed of elements(member(value, 'dependencies'))) {
    if (typeof needed === 'string') bill.link(ref(String(key)), ref(needed), 'depends')
  }
}
