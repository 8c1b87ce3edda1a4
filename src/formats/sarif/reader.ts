import type { Problem } from '../format.ts'
import { type JsonKind, type JsonPath, readJsonStream } from '../json/json-stream.ts'
import { entryProblem } from '../problem.ts'
import { headText } from '../text/bytes.ts'
import { toolName } from './classify/tool.ts'
import type { SarifPart } from './finding.ts'
import { createFingerprinter } from './identity/fingerprint.ts'
import { createCodeWatch } from './log/code-watch.ts'
import { maxRuns, readContext } from './log/context.ts'
import { type Loose, record, text } from './log/loose.ts'
import { failureOf } from './log/notification.ts'
import { createPathWatch } from './log/path-watch.ts'
import { emptyRun, type Run } from './log/run.ts'
import { createSecretWatch } from './log/secret-watch.ts'
import { notSearched, unsearchedPaths } from './log/unsearched.ts'
import { createResultReader, type ReadOptions, type RunSummary } from './result.ts'

/**
 * Reads SARIF 2.1.0 logs of any size, giving findings one by one. Results refer to rules, artifacts and taxonomies that may
 * stand after them, so a log is walked through twice: `reopen` is called at most two times and must give the same bytes.
 *
 * A fatal problem comes alone: of a log that is cut off, nothing is given, because what is missing would look mended.
 * Only results of kind 'fail' are findings (SARIF §3.27.9). Those of kind 'pass', 'notApplicable', 'informational',
 * 'open' and 'review' say that nothing is wrong, or that nobody knows; they are counted in a problem 'not-failures' per run.
 */
export const sarif = {
  id: 'sarif',
  title: 'SARIF 2.1.0',
  fileNames: [/\.sarif(\.json)?$/i] as readonly RegExp[],
  recognises,
  read,
}

function recognises(head: Uint8Array, name: string): boolean {
  const start = headText(head)
  if (!/^\s*\{/.test(start)) return false
  if (/"\$schema"\s*:\s*"[^"]{0,500}sarif/i.test(start)) return true
  if (/\.sarif(\.json)?$/i.test(name)) return true
  return /"runs"\s*:\s*(\[|null)/.test(start) && /"(version|tool|results)"\s*:/.test(start)
}

function* read(
  reopen: () => Iterable<Uint8Array>,
  _name: string,
  options: ReadOptions = {},
): Generator<SarifPart, void, void> {
  const context = readContext(reopen())
  for (const problem of context.problems) yield { problem }
  if (context.problems.some((problem) => problem.fatal)) return
  for (const [index, run] of context.runs.entries()) {
    const summary = summaryOf(run ?? emptyRun(), options.root)
    options.onRun?.(summary)
    const { unsearched } = summary
    // Of a run that failed as a whole that is said already.
    if (unsearched.length > 0 && failureOf(run ?? emptyRun()) === '')
      yield { problem: notSearched(unsearched, `/runs/${index}/invocations`) }
  }

  const problems: Problem[] = []
  const fingerprint = createFingerprinter(options.identityKey)
  let current = -1
  let reader: ReturnType<typeof createResultReader> | undefined
  let others = new Map<string, number>()
  const paths = createPathWatch(options.root)
  const codes = createCodeWatch()
  const secrets = createSecretWatch()

  for (const { path, value, line } of readJsonStream(reopen(), onlyResults, problems)) {
    while (problems.length > 0) yield { problem: problems.shift()! }
    const [, run, , index] = path as [string, number, string, number]
    if (run !== current) {
      if (others.size > 0) yield { problem: notFailures(context.runs[current], current, others) }
      others = new Map()
      current = run
      reader = createResultReader(context.runs[run] ?? emptyRun(), options, fingerprint)
    }
    const result = record(value)
    const pointer = `/runs/${run}/results/${index}`
    const kind = kindOf(result)
    if (kind !== 'fail') others.set(kind, (others.get(kind) ?? 0) + 1)
    else if (isEmpty(result)) {
      yield { problem: entryProblem('empty-result', 'The result has neither a message nor a rule.', line, pointer) }
    } else {
      const finding = reader!(result, pointer, line)
      paths.see(finding)
      codes.see(finding)
      secrets.see(finding)
      yield { finding }
    }
  }
  while (problems.length > 0) yield { problem: problems.shift()! }
  if (others.size > 0) yield { problem: notFailures(context.runs[current], current, others) }
  for (const problem of [paths.problem(), codes.problem(), secrets.problem()]) if (problem) yield { problem }
}

function summaryOf(run: Run, root: string | undefined): RunSummary {
  const { driver, category, hasResults, resultsElsewhere, cutOff } = run
  const complete = hasResults && failureOf(run) === '' && !resultsElsewhere && !cutOff
  return { tool: toolName(driver.name), category, complete, unsearched: unsearchedPaths(run, root) }
}

/** For a walk that gives the results, and nothing else. */
export function onlyResults(path: JsonPath, kind: JsonKind): 'parse' | 'enter' | 'skip' {
  if (path.length === 0) return kind === 'object' ? 'enter' : 'skip'
  if (path[0] !== 'runs') return 'skip'
  if (path.length > 1 && (path[1] as number) >= maxRuns) return 'skip'
  if (path.length === 4) return 'parse'
  if (kind === 'scalar' || (path.length === 3 && (path[2] !== 'results' || kind !== 'array'))) return 'skip'
  return 'enter'
}

const otherKinds: ReadonlySet<unknown> = new Set(['pass', 'notApplicable', 'informational', 'open', 'review'])

/** An unknown kind counts as a failure: a finding too many is seen, one too few is not. */
function kindOf(result: Loose): string {
  return otherKinds.has(result.kind) ? (result.kind as string) : 'fail'
}

function isEmpty(result: Loose): boolean {
  const message = record(result.message)
  const said = [message.text, message.id, message.markdown, result.ruleId, record(result.rule).id].some(
    (one) => text(one) !== '',
  )
  return !said && typeof result.ruleIndex !== 'number'
}

function notFailures(run: Run | undefined, index: number, others: ReadonlyMap<string, number>): Problem {
  const counts = [...others].map(([kind, count]) => `${count} ${kind}`).join(', ')
  const detail = `Results that are not failures are left out: ${counts} (${run?.driver.name || 'unnamed tool'}).`
  return entryProblem('not-failures', detail, 0, `/runs/${index}/results`)
}
