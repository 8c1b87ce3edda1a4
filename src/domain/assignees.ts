import sql, { join, type Sql } from 'sql-template-tag'
import type { Actor } from '../kernel/access/actor.ts'

/** Who looks after it: some people, or nobody. */
export type Assignees = { people: number[]; nobody: boolean }

/** `me`, `none` and ids of people, in the words of the tables. */
export function readAssignees(words: readonly string[] | undefined, actor: Actor): Assignees | undefined {
  if (!words) return undefined
  const people = words.filter((word) => word !== 'none').map((word) => (word === 'me' ? actor.personId : Number(word)))
  return { people: [...new Set(people)].sort((a, b) => a - b), nobody: words.includes('none') }
}

/** Holds where the finding or issue with the id in `column` is looked after by one of them. */
export function isAssigned(deploymentId: number, kind: 'finding' | 'issue', column: Sql, wanted: Assignees): Sql {
  const given = sql`select a.subject_id from subject_assignment a
    where a.deployment_id = ${deploymentId} and a.kind = ${kind}`
  // 'is true' keeps the planner from joining: the ids are hashed once and each row looks itself up.
  const ways = [sql`(${column} in (${given} and a.person_id = any(${wanted.people}::bigint[]))) is true`]
  if (wanted.nobody) ways.push(sql`(${column} in (${given})) is not true`)
  return sql`(${join(ways, ' or ')})`
}
