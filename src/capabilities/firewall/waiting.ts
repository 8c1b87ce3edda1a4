import sql, { empty } from 'sql-template-tag'
import type { Actor } from '../../kernel/access/actor.ts'
import type { Queryable } from '../../kernel/database/database.ts'
import { seesPackageClients } from '../repositories/public.ts'

/** Exposures that stand, of those that the actor would be shown. */
export async function countExposures(db: Queryable, actor: Actor): Promise<number> {
  const whose = (await seesPackageClients(db, actor)) ? empty : sql`and person_id = ${actor.personId}`
  const [row] = await db.query<{ count: number }>(sql`select count(*) as count from firewall_exposure
    where deployment_id = ${db.deploymentId} and withdrawn_at is null ${whose}`)
  return row!.count
}

/** Advisories that nobody has decided about. */
export async function countHeld(db: Queryable): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`select count(*) as count from firewall_held
    where deployment_id = ${db.deploymentId} and state = 'held'`)
  return row!.count
}

/** Exceptions that somebody asked for and nobody has decided about. */
export async function countAskedExceptions(db: Queryable): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`select count(*) as count from firewall_exception
    where deployment_id = ${db.deploymentId} and state = 'open'`)
  return row!.count
}
