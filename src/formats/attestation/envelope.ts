import { isObject, jsonPointer, member, outline, parseJson, text } from '../json/safe-json.ts'
import { fatalProblem, type ReadResult } from '../problem.ts'
import { headText } from '../text/bytes.ts'

/** The document inside, and what it is said to be. `pointer` leads to it; '' where it was in base64. */
export type Predicate = { bytes: Uint8Array; type: string; pointer: string }

const statementType = /^https:\/\/in-toto\.io\/Statement\//
const payloadTypes = /^application\/(?:vnd\.in-toto\+json|vnd\.cyclonedx\+json|spdx\+json|json)$|^text\/spdx/
/** A sigstore bundle holds an envelope, an envelope a statement, a statement a predicate: more layers there are not. */
const maxLayers = 4

/** Whether the head of a document is that of a DSSE envelope, a sigstore bundle or an in-toto statement. */
export function isEnvelope(head: Uint8Array): boolean {
  const start = headText(head)
  const top = outline(start, 1)
  if (top.has('/predicateType') || top.has('/dsseEnvelope')) return true
  if (/^\s*\{\s*"_type"\s*:\s*"https:\/\/in-toto\.io\/Statement\//.test(start)) return true
  if (top.has('/payloadType') && (top.has('/payload') || top.has('/signatures'))) return true
  // The payload may stand first, and be longer than the head: base64 of a JSON object.
  return /^\s*\{\s*"payload"\s*:\s*"e[w3y][A-Za-z0-9+/_-]/.test(start)
}

/** Takes the layers off: bundle, envelope (DSSE), statement (in-toto). Signatures are not checked: that is for whoever signs. */
export function unwrap(source: string): ReadResult<Predicate> {
  let written = source
  let encoded = false
  for (let layer = 0; layer < maxLayers; layer++) {
    const parsed = parseJson(written, { maxDepth: 200 })
    if (parsed.problem) return parsed
    const root = parsed.value.value
    const bundled = member(root, 'dsseEnvelope')
    const payload = text(bundled ?? root, 'payload')
    if (payload !== '' && text(bundled ?? root, 'payloadType') !== '') {
      const type = text(bundled ?? root, 'payloadType')
      if (!payloadTypes.test(type)) return refused(`its payload is '${type.slice(0, 100)}'`)
      const bytes = Buffer.from(payload, 'base64')
      encoded = true
      if (!/in-toto|\/json$/.test(type)) return { value: { bytes, type, pointer: '' } }
      written = bytes.toString('utf8')
      continue
    }
    if (!isObject(root) || !(statementType.test(text(root, '_type')) || text(root, 'predicateType') !== '')) {
      return refused('it holds no in-toto statement')
    }
    return { value: predicateOf(root, encoded) }
  }
  return refused(`it has more than ${maxLayers} layers`)
}

/** cosign puts what it was given under `Data`, as a text where that was no JSON. */
function predicateOf(statement: unknown, encoded: boolean): Predicate {
  const predicate = member(statement, 'predicate')
  const data = member(predicate, 'Data')
  const inner = data === undefined ? predicate : data
  const bytes = Buffer.from(typeof inner === 'string' ? inner : (JSON.stringify(inner) ?? ''))
  const pointer = encoded ? '' : jsonPointer(data === undefined ? ['predicate'] : ['predicate', 'Data'])
  return { bytes, type: text(statement, 'predicateType'), pointer }
}

function refused(why: string): ReadResult<Predicate> {
  return { problem: fatalProblem('wrong-format', `The attestation has no bill of materials: ${why}.`) }
}
