import type { Problem } from '../format.ts'
import { type JsonChoice, type JsonKind, type JsonPart, type JsonPath, readJsonStream } from '../json/json-stream.ts'
import { entryProblem } from '../problem.ts'
import { toolName } from '../sarif/classify/tool.ts'
import type { Finding, SarifPart } from '../sarif/finding.ts'
import { createFingerprinter } from '../sarif/identity/fingerprint.ts'
import type { Loose } from '../sarif/log/loose.ts'
import { createPathWatch } from '../sarif/log/path-watch.ts'
import { readRule } from '../sarif/log/rule.ts'
import { emptyRun, type Run } from '../sarif/log/run.ts'
import { createSecretWatch } from '../sarif/log/secret-watch.ts'
import { notSearched, unsearchedPaths } from '../sarif/log/unsearched.ts'
import { createResultReader, type ReadOptions } from '../sarif/result.ts'
import { asUri } from './written-result.ts'

/** One thing that a tool found, in the words of SARIF: what its rule is (§3.49), and the result itself (§3.27). */
export type ToolResult = { rule: Loose & { id: string }; result: Loose }

/** What a report says of the run that made it. */
export type ToolRun = {
  tool: string
  version: string
  /** Tells reports of one tool apart that stand side by side; mostly ''. */
  category: string
  /** Why not all that the tool could have found is in the report; '' where it is. */
  incomplete: string
  /** Files that it could not search to their end, as its results name them. */
  unsearched?: readonly string[]
}

/**
 * A tool's own JSON report. It is translated to SARIF result by result and read on like one, so that a finding is the same
 * one in both: same product and severity, same identity, same care with secrets.
 */
export type ToolReport<Facts> = {
  readonly id: string
  readonly title: string
  /** `members`: the JSON pointers in its first 64 KiB, down to three levels; of a list's first entry where it is a list. */
  recognises(members: ReadonlySet<string>, name: string): boolean
  /** What entries cannot be understood without, wherever in the document it is. */
  readonly facts: {
    choose(path: JsonPath, kind: JsonKind): JsonChoice
    begin(): Facts
    add(facts: Facts, part: JsonPart): void
  }
  run(facts: Facts): ToolRun
  choose(path: JsonPath, kind: JsonKind): JsonChoice
  /** `path`: of the report in the upload, for tools that do not say which file they are about. */
  results(part: JsonPart, facts: Facts, path: string): Iterable<ToolResult>
}

const maxFacts = 300_000

/**
 * Reads a report of any size, giving findings one by one. `reopen` is called twice and must give the same bytes. A fatal problem
 * comes alone: of a report that is cut off nothing is given, because what is missing would look mended.
 */
export function* readToolReport<Facts>(
  format: ToolReport<Facts>,
  reopen: () => Iterable<Uint8Array>,
  path: string,
  options: ReadOptions = {},
): Generator<SarifPart, void, void> {
  const problems: Problem[] = []
  const facts = format.facts.begin()
  for (const part of readJsonStream(reopen(), format.facts.choose, problems, { parts: maxFacts })) {
    format.facts.add(facts, part)
  }
  const fatal = problems.find((problem) => problem.fatal)
  if (fatal) {
    yield { problem: fatal }
    return
  }
  const { tool, version, category, incomplete, unsearched: files = [] } = format.run(facts)
  const run: Run = { ...emptyRun(), hasResults: true }
  Object.assign(run.driver, { name: tool, version })
  run.unsearched = files.map((path) => ({ uri: asUri(path), base: '', index: -1 }))
  const unsearched = unsearchedPaths(run, options.root)
  options.onRun?.({ tool: toolName(tool), category, complete: incomplete === '', unsearched })
  if (incomplete !== '') yield { problem: entryProblem('run-failed', incomplete) }
  else if (unsearched.length > 0) yield { problem: notSearched(unsearched) }
  problems.length = 0
  const readResult = createResultReader(run, options, createFingerprinter(options.identityKey))
  const paths = createPathWatch(options.root)
  const secrets = createSecretWatch()
  let withoutCode = 0
  for (const part of readJsonStream(reopen(), format.choose, problems)) {
    while (problems.length > 0) yield { problem: problems.shift()! }
    for (const { rule, result } of format.results(part, facts, path)) {
      run.driver.rules = [readRule(rule)]
      const pointer = `/${part.path.join('/')}`.slice(0, 400)
      const finding = readResult({ ...result, ruleId: rule.id, ruleIndex: 0 }, pointer, part.line)
      if (lacksAll(finding)) {
        yield { problem: entryProblem('empty-result', 'An entry names no rule and says nothing.', part.line, pointer) }
        continue
      }
      paths.see(finding)
      secrets.see(finding)
      withoutCode += Number(finding.lacksCode)
      yield { finding }
    }
  }
  while (problems.length > 0) yield { problem: problems.shift()! }
  for (const problem of [paths.problem(), secrets.problem()]) if (problem) yield { problem }
  if (withoutCode > 0) yield { problem: noCode(withoutCode) }
}

function lacksAll({ ruleId, message }: Finding): boolean {
  return ruleId === '' && message === ''
}

function noCode(count: number): Problem {
  const detail = `This report has no code (${count} results): of equal findings of a file nobody can say which is which. Have the tool write SARIF and upload that with the command line, beside the sources.`
  return entryProblem('no-code', detail)
}
