import sql from 'sql-template-tag'
import * as codes from '../../../domain/finding-codes.ts'
import { stateIs } from '../../../domain/finding-sql.ts'
import type { Subject } from '../../../domain/trigger-event.ts'
import * as names from '../../../domain/wire-names.ts'
import type { Queryable } from '../../../kernel/database/database.ts'

export type SubjectRow = {
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
}

/** Of a finding `f` and its `rule`. */
export const subjectColumns = sql`f.id, f.title, f.path, f.severity, f.confidence, f.product, f.reachability,
  rule.external_id as rule, f.category, f.cwes, f.malicious, f.state`

/** One ref of a repository, or one of its pull requests, and which of its findings were just raised or reopened. */
type SubjectPlace = { repositoryId: number; ref: string; pullRequest: number; newIds: readonly number[] }

export type Subjects = (db: Queryable, place: SubjectPlace) => Promise<Subject[]>

/** What automations look at after a scan: everything that is still open there and shown, from whatever source. */
export const subjects: Subjects = async (db, { repositoryId, ref, pullRequest, newIds }) => {
  const fresh = new Set(newIds)
  const rows = await db.query<SubjectRow>(sql`select ${subjectColumns}
    from finding_stream s
    join finding f on f.deployment_id = s.deployment_id and f.stream_id = s.id and f.state <= ${stateIs.lastOpen} and not f.silenced
    join finding_rule rule on rule.deployment_id = f.deployment_id and rule.id = f.rule_id
    where s.deployment_id = ${db.deploymentId} and s.repository_id = ${repositoryId} and s.pull_request = ${pullRequest}
      and (s.pull_request > 0 or s.ref = ${ref})
    order by f.id`)
  return rows.map((row) => toSubject(row, fresh.has(row.id)))
}

export function toSubject(row: SubjectRow, isNew: boolean): Subject {
  return {
    kind: 'finding',
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
    isNew,
  }
}
