import { linksTo, templatesFor } from '../../domain/code-links.ts'
import * as codes from '../../domain/finding-codes.ts'
import * as names from '../../domain/wire-names.ts'
import { withVersion } from '../../kernel/contract/etag.ts'
import type { Change } from './contract.ts'
import type { Finding, FindingDetail } from './finding.ts'
import type { ChangeRow, DetailRow, FindingRow } from './store.ts'

export function toFinding(deploymentId: number, row: FindingRow): Finding {
  const { ruleName, owasp, suppressions, locations, logicalLocations, codeFlow, secretHint, dependency } = row.content
  const finding: Finding = {
    id: String(row.id),
    deploymentId: String(deploymentId),
    repositoryId: String(row.repository_id),
    repository: row.repository,
    ref: row.ref,
    pullRequest: row.pull_request,
    source: row.source,
    ruleId: row.rule,
    ruleName,
    title: row.title,
    message: row.message,
    product: names.productNames.ofCode(row.product),
    category: codes.category.word(row.category),
    severity: names.severityNames.ofCode(row.severity),
    confidence: names.confidenceNames.ofCode(row.confidence),
    reachability: names.reachabilityNames.ofCode(row.reachability),
    validity: names.validityNames.ofCode(row.validity),
    verdict: names.verdictNames.ofCode(row.verdict),
    malicious: row.malicious,
    silenced: row.silenced,
    triageState: names.stateNames.ofCode(row.state),
    triageReason: names.reasonNames.ofCode(row.reason),
    ...deciderOf(row),
    deciderName: row.decider_name,
    assignee: row.assignee_id === null ? null : { id: String(row.assignee_id), name: row.assignee_name ?? '' },
    path: row.path,
    startLine: row.start_line,
    commit: row.commit,
    links: linksOf(row),
    locations,
    logicalLocations,
    codeFlow,
    cwes: row.cwes,
    owasp,
    vulnerabilityIds: row.vulnerability_ids,
    dependency,
    secretHint,
    suppressions,
    fingerprint: row.fingerprint,
    scanId: row.scan_id,
    raisedAt: row.raised_at.toISOString(),
    stateChangedAt: row.state_at.toISOString(),
    dueAt: row.due_days === null ? null : daysAfter(row.raised_at, row.due_days).toISOString(),
    fixedAt: row.fixed_at?.toISOString() ?? null,
  }
  return withVersion(finding, row.version)
}

export function toDetail({ detail, description, help, help_uri: helpUri, ...row }: DetailRow): FindingDetail {
  const { flow = [], surroundings = null, fixedVersion = '', transitivity = '' } = detail ?? {}
  const missing = row.missing ? { scanId: row.latest_scan_id, observedAt: row.observed_at.toISOString() } : null
  return { flow, surroundings, rule: { description, help, helpUri }, fixedVersion, transitivity, missing }
}

function linksOf({ web_url, link_templates, path, start_line: line, commit, ref, pull_request }: FindingRow) {
  const templates = templatesFor(web_url, link_templates)
  return linksTo(templates, { path, line, commit, ref, pullRequest: pull_request })
}

export function toChange(row: ChangeRow): Change {
  return {
    seq: row.seq,
    at: row.at.toISOString(),
    fromState: names.stateNames.ofCode(row.from_state),
    fromReason: names.reasonNames.ofCode(row.from_reason),
    toState: names.stateNames.ofCode(row.to_state),
    toReason: names.reasonNames.ofCode(row.to_reason),
    ...deciderOf(row),
    deciderName: row.decider_name,
    tokenId: row.token_id,
    scanId: row.scan_id,
    note: row.note,
  }
}

/** The number beside the decider is that of a rule of the lifecycle, or of somebody. */
function deciderOf({ decided_by, decider_id }: { decided_by: number; decider_id: number }) {
  const byRule = codes.decider.word(decided_by) === 'rule'
  return {
    decidedBy: names.deciderNames.ofCode(decided_by),
    deciderId: byRule || decider_id === 0 ? '' : String(decider_id),
    cause: names.causeNames.ofCode(byRule ? decider_id : 0),
  }
}

const dayMs = 86_400_000

function daysAfter(moment: Date, days: number): Date {
  return new Date(moment.getTime() + days * dayMs)
}
