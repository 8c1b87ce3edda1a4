import { cyclonedxJson } from '../cyclonedx-json/reader.ts'
import { cyclonedxXml } from '../cyclonedx-xml/reader.ts'
import type { Format, Problem, Reading } from '../format.ts'
import { unreadable } from '../inventory.ts'
import { createProblems, entryProblem, fatalProblem, quote } from '../problem.ts'
import { spdxJson } from '../spdx-json/reader.ts'
import { spdxTagValue } from '../spdx-tag-value/reader.ts'
import { spdx3Json } from '../spdx3-json/reader.ts'
import { syftJson } from '../syft-json/reader.ts'
import { readText } from '../text/bytes.ts'
import { eachLine } from '../text/lines.ts'
import { isEnvelope, unwrap } from './envelope.ts'

/** What an attestation may hold; another attestation is not among them, so nothing is opened twice. */
const bills: readonly Format[] = [cyclonedxJson, cyclonedxXml, spdxJson, spdx3Json, spdxTagValue, syftJson]
const headLength = 64 * 1024
const maxEnvelopes = 1000

/**
 * Bills of materials in in-toto attestations, bare or in DSSE envelopes and sigstore bundles, as cosign and others write them;
 * also several, one in a line. Signatures are not verified. What is inside has no lines of this document.
 */
export const attestation: Format = {
  id: 'attestation',
  title: 'in-toto attestation of a bill of materials',
  fileNames: [/\.(?:att|intoto|dsse|attestation|sigstore)(?:\.jsonl?)?$/i, /\.intoto\.jsonl$/i],
  recognises: isEnvelope,

  read(chunks, name): Reading {
    const source = readText(chunks)
    if (source.problem) return unreadable(source.problem)
    const envelopes = separate(source.value)
    if (envelopes.length === 1) return readEnvelope(source.value, name)
    return readSeveral(envelopes, name)
  },
}

/** One JSON document, or one in each line (`cosign download attestation`). */
function separate(text: string): string[] {
  const found: string[] = []
  for (const { text: line } of eachLine(text)) {
    if (line.trim() === '') continue
    if (!/^\s*\{.*\}\s*$/.test(line) || found.length >= maxEnvelopes) return [text]
    found.push(line)
  }
  return found.length > 1 ? found : [text]
}

function readEnvelope(text: string, name: string): Reading {
  const { value: predicate, problem } = unwrap(text)
  if (problem) return unreadable(problem)
  const head = predicate.bytes.subarray(0, headLength)
  const format = bills.find((bill) => bill.recognises(head, ''))
  if (!format) {
    const detail = `The attestation is of type ${quote(predicate.type)} and holds no bill of materials that is read here.`
    return unreadable(fatalProblem('wrong-format', detail))
  }
  const reading = format.read([predicate.bytes], name)
  const placed = ({ pointer, ...rest }: Problem): Problem => ({
    ...rest,
    line: 0,
    pointer: predicate.pointer + pointer,
  })
  return {
    ...reading,
    items: reading.items.map((item) => ({ ...item, line: 0 })),
    problems: reading.problems.map(placed),
  }
}

/** Of several, those that hold a bill; keys are made distinct, for each has its own. */
function readSeveral(envelopes: readonly string[], name: string): Reading {
  const readings = envelopes.map((text) => readEnvelope(text, name))
  const usable = readings.filter(({ problems }) => !problems.some((problem) => problem.fatal))
  if (usable.length === 0) return readings[0]!
  const problems = createProblems()
  for (const [at, reading] of readings.entries()) {
    for (const problem of reading.problems) {
      problems.add(
        problem.fatal ? entryProblem('bad-entry', `Attestation ${at + 1}: ${problem.detail}`, at + 1) : problem,
      )
    }
  }
  const own = (at: number, key: string) => (usable.length === 1 ? key : `${at + 1}/${key}`)
  const items = usable.flatMap((reading, at) =>
    reading.items.map((item) => ({
      ...item,
      key: own(at, item.key),
      dependsOn: item.dependsOn.map((key) => own(at, key)),
    })),
  )
  return { items, problems: problems.list(), statements: usable.flatMap(({ statements = [] }) => statements) }
}
