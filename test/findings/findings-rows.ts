import sql from 'sql-template-tag'
import type { TestGatehouse } from '../gatehouse.ts'

/** A finding as the tables have it; `key` tells the same one in every log. */
export type Row = {
  id: number
  key: string
  state: number
  reason: number
  decided_by: number
  decider_id: number
  silenced: boolean
  product: number
  category: number
  severity: number
  raised_at: Date
  changes: number
  /** Of its history. */
  lines: number
  last: number
}

export function readFindings(gatehouse: TestGatehouse): Promise<Row[]> {
  return gatehouse.db.as({ deploymentId: 1 }).query(sql`select f.id,
      concat_ws(' | ', r.name, case when f.pull_request > 0 then f.pull_request::text else s.ref end,
        substr(s.source, 7), concat(rule.external_id, ' ', f.path, ':', split_part(f.message, ' ', 2)))
        collate "C" as key,
      f.state, f.reason, f.decided_by, f.decider_id, f.silenced, f.product, f.category, f.severity, f.raised_at,
      f.change_count as changes, history.lines, coalesce(history.last, 0) as last
    from finding f
    join repository r on r.deployment_id = f.deployment_id and r.id = f.repository_id
    join finding_stream s on s.deployment_id = f.deployment_id and s.id = f.stream_id
    join finding_rule rule on rule.deployment_id = f.deployment_id and rule.id = f.rule_id
    cross join lateral (select max(h.seq) as last, count(*) as lines from finding_history h
      where h.deployment_id = f.deployment_id and h.finding_id = f.id) history
    where f.deployment_id = 1 order by key`)
}
