import sql from 'sql-template-tag'
import type { Queryable } from '../../kernel/database.ts'
import type { Subject } from '../../kernel/trigger.ts'
import * as codes from './codes.ts'
import * as names from './names.ts'

type Row = {
  id: number
  title: string
  path: string
  severity: number
  confidence: number
  product: number
  reachability: number
  rule: string
  category: number
  cwes: string[]
  malicious: boolean
  state: number
  scan_id: number
}

/** One ref of a repository, or one of its pull requests; `newIds` says what is new where no scan did it. */
export type SubjectPlace = {
  repositoryId: number
  ref: string
  pullRequest: number
  scanId: number
  newIds?: readonly number[]
}

export type Subjects = (db: Queryable, place: SubjectPlace) => Promise<Subject[]>

/** What automations look at after a scan: everything that is still open there and shown, from whatever source. */
export const subjects: Subjects = async (db, { repositoryId, ref, pullRequest, scanId, newIds = [] }) => {
  const fresh = new Set(newIds)
  const rows =
    await db.query<Row>(sql`select f.id, f.title, f.path, f.severity, f.confidence, f.product, f.reachability,
      rule.external_id as rule, f.category, f.cwes, f.malicious, f.state, f.scan_id
    from finding_stream s
    join finding f on f.deployment_id = s.deployment_id and f.stream_id = s.id and f.state <= 4 and not f.silenced
    join finding_rule rule on rule.deployment_id = f.deployment_id and rule.id = f.rule_id
    where s.deployment_id = ${db.deploymentId} and s.repository_id = ${repositoryId} and s.pull_request = ${pullRequest}
      and (s.pull_request > 0 or s.ref = ${ref})
    order by f.id`)
  return rows.map((row) => ({
    kind: 'finding' as const,
    id: String(row.id),
    title: row.title,
    path: row.path,
    severity: names.severityNames.ofCode(row.severity),
    confidence: names.confidenceNames.ofCode(row.confidence),
    product: names.productNames.ofCode(row.product),
    reachability: names.reachabilityNames.ofCode(row.reachability),
    ruleId: row.rule,
    category: codes.category.word(row.category),
    cwes: row.cwes,
    malicious: row.malicious,
    triageState: names.stateNames.ofCode(row.state),
    isNew: fresh.has(row.id) || (scanId > 0 && row.scan_id === scanId),
  }))
}
