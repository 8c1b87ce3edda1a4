import { sentNames } from '../sarif/identity/content.ts'
import { type Loose, list, own, positive, record, text, word } from '../sarif/log/loose.ts'

/** What `semgrep ci` writes for how bad a finding is: a number since 1.32, the word of the rule before. */
const severities: Readonly<Record<string, string>> = {
  '0': 'low',
  '1': 'medium',
  '2': 'high',
  '3': 'critical',
  '4': 'info',
  INFO: 'low',
  WARNING: 'medium',
  ERROR: 'high',
}

/** The rule of a finding as SARIF has it: its author's metadata in the places where Semgrep's own SARIF logs have them. */
export function toRule(finding: Loose): Loose {
  const metadata = record(finding.metadata)
  const confidence = word(metadata.confidence)
  return {
    id: finding.check_id,
    helpUri: text(metadata.source) || text(metadata.shortlink),
    shortDescription: { text: text(metadata.title) },
    fullDescription: { text: text(metadata.description) },
    properties: {
      tags: [
        ...listed(metadata.cwe),
        ...listed(metadata.owasp).map((entry) => `OWASP-${entry}`),
        ...listed(metadata['sca-vuln-database-identifier']),
        ...(confidence === '' ? [] : [`${confidence} confidence`]),
        ...listed(metadata.category),
      ],
    },
  }
}

/** A finding as a result of SARIF. `suppressed`: by a comment in the code. */
export function toResult(finding: Loose, suppressed: boolean): Loose {
  const sca = record(finding.sca_info)
  const severity = severities[word(finding.severity)] ?? 'medium'
  return {
    ruleId: finding.check_id,
    message: { text: finding.message },
    locations: [toLocation(finding.path, finding)],
    codeFlows: toFlows(record(finding.dataflow_trace)),
    ...identityOf(finding),
    properties: {
      severity,
      ...(finding.sca_info ? aboutDependency(sca, record(finding.metadata)) : {}),
      ...(finding.validation_state ? { validationState: finding.validation_state } : {}),
    },
    ...(suppressed && { suppressions: [{ kind: 'inSource' }] }),
  }
}

/**
 * What Semgrep calls the thing that it found: the pattern with what it matched, the file and the rule, hashed. The number
 * behind it counts those that are equal and says nothing about which of them is which, so it takes no part.
 */
export function matchOf(finding: Loose): string {
  const [, hash = ''] = /^([0-9a-f]{32,200})_[0-9]+$/.exec(text(finding.match_based_id, 300)) ?? []
  return hash
}

/** Where the matches are equal, hashes of the code and of the line that it begins on tell them apart. */
function identityOf(finding: Loose): Loose {
  const hashes = record(finding.hashes)
  const match = matchOf(finding)
  const code = text(hashes.code_hash, 200)
  const line = text(hashes.start_line_hash, 200)
  return {
    fingerprints: match === '' ? {} : { 'matchBasedId/v1': match },
    partialFingerprints: {
      ...(code !== '' && { [sentNames.code]: code }),
      ...(code !== '' && { [sentNames.around]: `${code} ${line}` }),
    },
  }
}

function aboutDependency(sca: Loose, metadata: Loose): Loose {
  const found = record(record(sca.dependency_match).found_dependency)
  return {
    exposure: sca.reachable === true ? 'reachable' : sca.reachability_rule === true ? 'unreachable' : 'unknown',
    packageName: found.package,
    packageVersion: found.version,
    ecosystem: found.ecosystem,
    fixedVersion: fixedVersions(metadata['sca-fix-versions'], text(found.package)).join(' or '),
  }
}

/** `[{"minimist": "0.2.4"}, {"minimist": "1.2.6"}]` */
function fixedVersions(written: unknown, name: string): string[] {
  return list(written)
    .slice(0, 50)
    .map((entry) => word(own(record(entry), name)))
    .filter((version) => version !== '')
}

function toLocation(path: unknown, { line, column, end_line, end_column }: Loose): Loose {
  const region = { startLine: line, startColumn: column, endLine: end_line, endColumn: end_column }
  return { physicalLocation: { artifactLocation: { uri: toUri(text(path, 2000)) }, region } }
}

/** Paths of SARIF are URIs: a `%` in a name is not the beginning of an escape. */
function toUri(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

/** From where the data comes to where it must not go; the code on the way is not sent. */
function toFlows(trace: Loose): readonly Loose[] {
  const source = placeOf(trace.taint_source)
  const sink = placeOf(trace.taint_sink)
  if (!source || !sink) return []
  const between = list(trace.intermediate_vars)
    .slice(0, 100)
    .map((step) => record(record(step).location))
  return [{ threadFlows: [{ locations: [source, ...between, sink].map((place) => ({ location: toStep(place) })) }] }]
}

/** `["CliLoc", [place, code]]`, or `["CliCall", [[place, code], …]]` for what a called function does. */
function placeOf(told: unknown): Loose | undefined {
  const [kind, inner] = list(told)
  const first = list(inner)[0]
  const place = record(kind === 'CliCall' ? list(first)[0] : first)
  return positive(record(place.start).line) > 0 ? place : undefined
}

function toStep(place: Loose): Loose {
  const [start, end] = [record(place.start), record(place.end)]
  return toLocation(place.path, { line: start.line, column: start.col, end_line: end.line, end_column: end.col })
}

/** Authors of rules write one, or a list. */
function listed(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value])
    .slice(0, 50)
    .map(word)
    .filter((entry) => entry !== '')
}
