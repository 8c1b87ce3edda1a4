import type { Problem } from '../format.ts'
import { type JsonKind, type JsonPath, readJsonStream } from '../json/json-stream.ts'
import { entryProblem } from '../problem.ts'
import { showsSecret } from '../sarif/classify/secret.ts'
import type { Finding, SarifPart } from '../sarif/finding.ts'
import { createFingerprinter } from '../sarif/identity/fingerprint.ts'
import { type Loose, record, text } from '../sarif/log/loose.ts'
import { readRule } from '../sarif/log/rule.ts'
import { emptyRun } from '../sarif/log/run.ts'
import { createResultReader, type ReadOptions } from '../sarif/result.ts'
import { headText } from '../text/bytes.ts'
import { matchOf, toResult, toRule } from './to-sarif.ts'

/**
 * What `semgrep ci` sends when it is done: `ci_scan_results` of semgrep_output_v1.atd. Each finding is read as the SARIF result
 * that it would be, so that what it means, what of it is a secret and what it is recognised by is decided in one place.
 */
export const semgrepResults = {
  id: 'semgrep-results',
  title: 'Results of semgrep ci',
  fileNames: [] as readonly RegExp[],
  recognises,
  read,
}

/** Rules that are made from advisories: what they find is known from the list of packages, with more said about it. */
export const advisoryRulePrefix = 'gatehouse.advisory.'

const maxRules = 20_000

function recognises(head: Uint8Array): boolean {
  const start = headText(head)
  return /^\s*\{\s*"findings"\s*:\s*\[/.test(start) && /"(check_id|ignores)"\s*:/.test(start)
}

function* read(
  reopen: () => Iterable<Uint8Array>,
  _name: string,
  options: ReadOptions = {},
): Generator<SarifPart, void, void> {
  const problems: Problem[] = []
  const run = emptyRun()
  run.driver.name = 'Semgrep'
  options.onRun?.({ tool: 'semgrep', category: 'ci', complete: true, unsearched: [] })
  const toFinding = createResultReader(run, options, createFingerprinter(options.identityKey))
  for (const { path, value, line } of readJsonStream(reopen(), onlyFindings, problems)) {
    while (problems.length > 0) yield { problem: problems.shift()! }
    const written = record(value)
    const pointer = `/${path[0]}/${path[1]}`
    const id = text(written.check_id, 500)
    if (id === '' || text(written.path, 2000) === '') {
      yield { problem: entryProblem('empty-result', 'The finding has no rule or no file.', line, pointer) }
      continue
    }
    if (id.startsWith(advisoryRulePrefix)) continue
    const rules = run.driver.rulesById
    if (!rules.has(id) && rules.size < maxRules) rules.set(id, readRule(toRule(written)))
    const finding = toFinding(toResult(written, path[0] === 'ignores'), pointer, line)
    yield { finding: withToolId(finding, written, rules.get(id)?.tags ?? []) }
  }
  while (problems.length > 0) yield { problem: problems.shift()! }
}

/** Not of a secret: the id is a plain hash over it, which can be guessed. */
function withToolId(finding: Finding, written: Loose, tags: readonly string[]): Finding {
  const shows = showsSecret(finding.product, finding.cwes, finding.ruleId, tags)
  return shows ? finding : { ...finding, toolId: matchOf(written) }
}

function onlyFindings(path: JsonPath, kind: JsonKind): 'parse' | 'enter' | 'skip' {
  if (path.length === 0) return kind === 'object' ? 'enter' : 'skip'
  if (path[0] !== 'findings' && path[0] !== 'ignores') return 'skip'
  if (path.length === 1) return kind === 'array' ? 'enter' : 'skip'
  return 'parse'
}
