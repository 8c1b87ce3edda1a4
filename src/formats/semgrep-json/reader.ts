import { stopsSearching } from '../sarif/log/notification.ts'
import { chosenParts } from '../tool-report/chosen-parts.ts'
import type { ToolReport, ToolResult } from '../tool-report/tool-report.ts'
import {
  component,
  type Loose,
  list,
  location,
  record,
  severity,
  text,
  textOrTexts,
} from '../tool-report/written-result.ts'

type Facts = { version: string; failure: string; unsearched: Set<string> }

/** `semgrep scan --json`, and what `semgrep ci --json` prints. */
export const semgrepJson: ToolReport<Facts> = {
  id: 'semgrep-json',
  title: 'Semgrep JSON',
  recognises(members) {
    if (members.has('/results/0')) return members.has('/results/0/check_id')
    if (!members.has('/results') || !members.has('/errors')) return false
    // Other scanners have these two as well, beside members of their own. Of old releases of Semgrep there are no others.
    return (
      members.has('/version') ||
      members.has('/paths') ||
      [...members].every((one) => /^$|^\/(?:results|errors)\b/.test(one))
    )
  },
  facts: {
    begin: () => ({ version: '', failure: '', unsearched: new Set() }),
    choose: chosenParts('version', 'errors/*'),
    add(facts, { path, value }) {
      if (path[0] === 'version') facts.version = text(value, 50)
      else noteError(facts, record(value))
    },
  },
  run({ version, failure, unsearched }) {
    return { tool: 'Semgrep', version, category: '', incomplete: failure, unsearched: [...unsearched] }
  },
  choose: chosenParts('results/*'),
  *results({ value }) {
    yield resultOf(record(value))
  },
}

/**
 * Warnings come with most runs. One about a file that took too long, or that could not be parsed at all, means that it was not
 * searched; of one that could be parsed in part (a list, not a word, says so) the rest was.
 */
function noteError(facts: Facts, { level, message, path, type }: Loose): void {
  const file = text(path, 2000)
  if (level === 'error') {
    const where = file && ` in ${file.slice(0, 200)}`
    facts.failure ||= `Semgrep did not run to its end${where}: ${text(message, 300) || 'it does not say why'}`
  } else if (file !== '' && stopsSearching(text(type, 100))) facts.unsearched.add(file)
}

function resultOf({ check_id, path, start, end, extra: written }: Loose): ToolResult {
  const extra = record(written)
  const metadata = record(extra.metadata)
  const [from, to] = [record(start), record(end)]
  const id = text(check_id, 500)
  const rule = {
    id,
    fullDescription: { text: text(extra.message, 1000) },
    helpUri: text(metadata.source, 1000) || text(metadata.shortlink, 1000),
    properties: {
      tags: [...textOrTexts(metadata.category), ...textOrTexts(metadata.technology)],
      cwe: textOrTexts(metadata.cwe),
      owasp: textOrTexts(metadata.owasp),
      ...(typeof metadata.confidence === 'string' && { confidence: metadata.confidence }),
    },
  }
  const word = text(extra.severity, 20)
  const level = Object.hasOwn(levels, word) ? levels[word] : undefined
  const result = {
    ...(level && { level }),
    message: { text: text(extra.message, 4000) },
    locations: [
      location({
        path: text(path, 2000),
        startLine: from.line,
        startColumn: from.col,
        endLine: to.line,
        endColumn: to.col,
        snippet: text(extra.lines, 2000),
      }),
    ],
    fingerprints: { 'matchBasedId/v1': text(extra.fingerprint, 300) },
    ...(extra.is_ignored === true && { suppressions: [{ kind: 'inSource' }] }),
    ...flowOf(record(extra.dataflow_trace)),
    properties: {
      ...(level ? {} : severity(word)),
      ...supplyChain(record(extra.sca_info)),
      ...validation(extra.validation_state),
    },
  }
  return { rule, result }
}

/** Rules had levels; newer ones have severities. */
const levels: Readonly<Record<string, string>> = {
  ERROR: 'error',
  WARNING: 'warning',
  INFO: 'note',
  INVENTORY: 'note',
  EXPERIMENT: 'note',
}

function supplyChain(info: Loose): Loose {
  const match = record(info.dependency_match)
  const found = record(match.found_dependency)
  if (Object.keys(found).length === 0) return {}
  const exposure = info.reachable === true ? 'reachable' : 'unreachable'
  return { exposure, ...component({ name: found.package, version: found.version, ecosystem: found.ecosystem }) }
}

function validation(state: unknown): Loose {
  return typeof state === 'string' && state !== 'NO_VALIDATOR' ? { validation_state: state } : {}
}

/** From the source over what it was assigned to, to the sink. */
function flowOf(trace: Loose): Loose {
  const steps = [
    ...stepsOf(trace.taint_source),
    ...list(trace.intermediate_vars).slice(0, 48).map(stepOf),
    ...stepsOf(trace.taint_sink),
  ]
  if (steps.length < 2) return {}
  return { codeFlows: [{ threadFlows: [{ locations: steps.map((step) => ({ location: step })) }] }] }
}

/** `["CliLoc", [place, code]]`; of a call into other functions, what stands here is enough. */
function stepsOf(written: unknown): Loose[] {
  const [kind, about] = list(written)
  if (kind === 'CliLoc') return [stepOf({ location: list(about)[0], content: list(about)[1] })]
  if (kind === 'CliCall') return [stepOf({ location: list(list(about)[0])[0], content: list(list(about)[0])[1] })]
  return []
}

function stepOf(written: unknown): Loose {
  const { location: place, content } = record(written)
  const { path, start, end } = record(place)
  const [from, to] = [record(start), record(end)]
  return location({
    path: text(path, 2000),
    startLine: from.line,
    startColumn: from.col,
    endLine: to.line,
    endColumn: to.col,
    snippet: text(content, 500),
  })
}
