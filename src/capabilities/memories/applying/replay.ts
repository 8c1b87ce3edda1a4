import sql from 'sql-template-tag'
import { decidedBy, stateIs } from '../../../domain/finding-sql.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { around, covers, ruleOf, type Scope } from '../scope.ts'

/** What a memory does to the findings in its scope; see docs/memories.md. */
export type Counts = { newlyTrue: number; newlyFalse: number; remainsTrue: number; remainsFalse: number }

/**
 * What would become of the findings in the scope of a memory if it went live now. It gives none back, because it only
 * ever ignores: findings that a change of a live memory gives back are counted when that happens.
 */
export async function replay(db: Queryable, id: number, scope: Scope): Promise<Counts> {
  const ignores = sql`'triage' = any (m.contexts) and f.decided_by <= ${decidedBy.memory}`
  const [row] = await db.query<Counts>(sql`select 0 as "newlyTrue",
      count(*) filter (where f.state <= ${stateIs.lastOpen} and ${ignores}) as "newlyFalse",
      count(*) filter (where f.state <= ${stateIs.lastOpen} and not (${ignores})) as "remainsTrue",
      count(*) filter (where f.state > ${stateIs.lastOpen}) as "remainsFalse"
    from finding f ${ruleOf(db.deploymentId)} join memory m on ${covers(db.deploymentId)}
    where f.deployment_id = ${db.deploymentId} and f.state < ${stateIs.fixed} and m.id = ${id} and ${around(db.deploymentId, scope)}`)
  return row!
}
