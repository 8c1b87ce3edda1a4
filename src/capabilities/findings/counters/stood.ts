import sql, { type Sql } from 'sql-template-tag'
import { stateIs } from '../../../domain/finding-sql.ts'

/** The state in which a finding `f` was raised. The deployment by value: Citus does not take it from `f` where that is set aside. */
export const firstState = (
  deploymentId: number,
): Sql => sql`case when f.change_count = 0 then f.state else coalesce((select h.from_state from finding_history h
  where h.deployment_id = ${deploymentId} and h.finding_id = f.id order by h.seq limit 1), f.state) end`

/** By how many more findings stand after a change `h`: one, none, or one less. */
export const stoodMore: Sql = sql`(h.to_state <= ${stateIs.provisionallyIgnored})::integer
  - (h.from_state <= ${stateIs.provisionallyIgnored})::integer`
