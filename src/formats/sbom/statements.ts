import type { BillStatement, Problem } from '../format.ts'
import { elements, isObject, type JsonObject, member, text } from '../json/safe-json.ts'
import { entryProblem } from '../problem.ts'

/** Beyond these, a bill says more about vulnerabilities than anybody can use. */
const maxStatements = 20_000
const maxBytes = 64 * 1024
const maxTotalBytes = 32 * 1024 * 1024
const maxAffected = 1000
const maxText = 500

/** Collects what a bill of materials says about vulnerabilities, each as it is written, with what it is about beside it. */
export function createStatements() {
  const kept: BillStatement[] = []
  let bytes = 0
  let left = 0

  /** In the shape of CycloneDX in JSON (ECMA-424, vulnerabilities). */
  function add(vulnerability: unknown): void {
    if (!isObject(vulnerability)) return
    const document = storable(JSON.stringify(vulnerability))
    if (kept.length >= maxStatements || document.length > maxBytes || bytes + document.length > maxTotalBytes) {
      left++
      return
    }
    bytes += document.length
    const analysis = member(vulnerability, 'analysis')
    kept.push({
      vulnerability: text(vulnerability, 'id').slice(0, maxText),
      state: text(analysis, 'state').slice(0, maxText),
      justification: text(analysis, 'justification').slice(0, maxText),
      affects: affectedBy(vulnerability),
      document,
    })
  }

  function problems(): Problem[] {
    if (left === 0) return []
    const detail = `${left} statements about vulnerabilities are too many or too long and were left out.`
    return [entryProblem('too-many-statements', detail, 0, '/vulnerabilities')]
  }

  return { add, problems, list: () => kept }
}

/** JSON without U+0000 and halves of surrogate pairs, which no database and no answer takes. */
function storable(json: string): string {
  if (!json.includes('\\u')) return json
  return json.replace(/\\(?:u0000|ud[89a-f][0-9a-f]{2}|.)/gi, (written) => (written.length > 2 ? '\\ufffd' : written))
}

function affectedBy(vulnerability: JsonObject): string[] {
  const references = elements(member(vulnerability, 'affects')).map((one) => text(one, 'ref'))
  return [...new Set(references.filter((ref) => ref !== ''))].slice(0, maxAffected).map((ref) => ref.slice(0, maxText))
}
