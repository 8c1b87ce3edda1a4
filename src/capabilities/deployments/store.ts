import sql from 'sql-template-tag'
import type { IdentityQueryable, Queryable, Transaction } from '../../kernel/database/database.ts'
import type { Requirement } from '../factors/public.ts'
import type { NewPeopleSee } from './contract.ts'

export type DeploymentRow = {
  id: number
  name: string
  slug: string
  new_people_see: NewPeopleSee
  second_factor: Requirement
  created_at: Date
  version: number
}

const columns = sql`id, name, slug, new_people_see, second_factor, created_at, version`

export async function nextId(db: { query: IdentityQueryable['query'] }): Promise<number> {
  const [row] = await db.query<{ id: number }>(sql`select nextval('deployment_id_seq') as id`)
  return row!.id
}

export async function count(db: { query: IdentityQueryable['query'] }): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`select count(*) as count from deployment`)
  return row!.count
}

export function listWithIds(db: { query: IdentityQueryable['query'] }, ids: number[]): Promise<DeploymentRow[]> {
  return db.query(sql`select ${columns} from deployment where id = any(${ids}::bigint[]) order by id`)
}

/** Undefined where the slug is taken. */
export async function insert(
  tx: Transaction,
  { name, slug, newPeopleSee }: { name: string; slug: string; newPeopleSee: NewPeopleSee },
): Promise<DeploymentRow | undefined> {
  const [row] = await tx.query<DeploymentRow>(sql`insert into deployment (id, name, slug, new_people_see)
    values (${tx.deploymentId}, ${name}, ${slug}, ${newPeopleSee}) on conflict (slug) do nothing returning ${columns}`)
  return row
}

export async function find(db: Queryable): Promise<DeploymentRow | undefined> {
  const [row] = await db.query<DeploymentRow>(sql`select ${columns} from deployment where id = ${db.deploymentId}`)
  return row
}

export async function lock(tx: Transaction): Promise<DeploymentRow | undefined> {
  const [row] = await tx.query<DeploymentRow>(
    sql`select ${columns} from deployment where id = ${tx.deploymentId} for update`,
  )
  return row
}

export async function update(
  tx: Transaction,
  { name, newPeopleSee, secondFactor }: { name: string; newPeopleSee: NewPeopleSee; secondFactor: Requirement },
): Promise<DeploymentRow> {
  const [row] = await tx.query<DeploymentRow>(sql`update deployment set name = ${name},
      new_people_see = ${newPeopleSee}, second_factor = ${secondFactor}, version = version + 1
    where id = ${tx.deploymentId} returning ${columns}`)
  return row!
}
