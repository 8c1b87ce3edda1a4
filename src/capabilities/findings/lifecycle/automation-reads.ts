import sql, { type Sql } from 'sql-template-tag'
import type { Subject, TriggerRepository } from '../../../domain/trigger-event.ts'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { tagNames, visibleTo } from '../../repositories/public.ts'
import { type SubjectRow, subjectColumns, toSubject } from './subjects.ts'

/** Findings that somebody points at, as automations look at them: those of the ids that the actor sees. */
export async function findingsWithIds(db: Queryable, actor: Actor, ids: readonly number[]): Promise<Subject[]> {
  const which = sql`f.id = any(${ids}::bigint[]) and ${visibleTo(actor, sql`f.repository_id`)}`
  const rows = await select(db, which)
  return rows.map(({ repository, ...row }) => ({ ...toSubject(row, true), repositories: [repository] }))
}

/** What a scan raised or reopened and showed, as if it had just come: whatever became of it since does not count. */
export async function findingsRaisedBy(db: Queryable, repositoryId: number, scanId: number): Promise<Subject[]> {
  const rows = await select(db, sql`f.repository_id = ${repositoryId} and f.scan_id = ${scanId} and not f.silenced`)
  return rows.map((row) => ({ ...toSubject(row, true), triageState: 'TRIAGE_STATE_OPEN' }))
}

function select(db: Queryable, which: Sql): Promise<(SubjectRow & { repository: TriggerRepository })[]> {
  return db.query(sql`select ${subjectColumns}, jsonb_build_object('id', r.id, 'name', r.name, 'tags', ${tagNames}) as repository
    from finding f
    join finding_rule rule on rule.deployment_id = f.deployment_id and rule.id = f.rule_id
    join repository r on r.deployment_id = f.deployment_id and r.id = f.repository_id
    where f.deployment_id = ${db.deploymentId} and ${which} order by f.id`)
}
