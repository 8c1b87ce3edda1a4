import sql from 'sql-template-tag'
import type { Queryable, Transaction } from '../../kernel/database/database.ts'

/** What is known about a package, so far as a change of it is news. */
export type Known = {
  repositoryIds: readonly number[]
  versions: readonly string[]
  vulnerabilityIds: readonly string[]
  isKeptOut: boolean
}

/** What a person watches, without what they have seen of it. */
export type WatchedRow = { ecosystem: string; name: string; shown_name: string; created_at: Date; seen_at: Date }

export type WatchRow = WatchedRow & {
  seen_repositories: number[]
  seen_versions: string[]
  seen_vulnerabilities: string[]
  seen_kept_out: boolean
}

const watched = sql`w.ecosystem, w.name, w.shown_name, w.created_at, w.seen_at`
const columns = sql`${watched}, to_jsonb(w.seen_repositories) as seen_repositories, w.seen_versions,
  w.seen_vulnerabilities, w.seen_kept_out`

export function list(db: Queryable, personId: number): Promise<WatchRow[]> {
  return db.query(sql`select ${columns} from package_watch w
    where w.deployment_id = ${db.deploymentId} and w.person_id = ${personId} order by w.name, w.ecosystem`)
}

/** Nobody adds a watch of this person until the transaction ends: how many there are is then true. */
export async function lockWatches(tx: Transaction): Promise<void> {
  const key = `package_watch ${tx.actor.personId}`
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${key}, ${tx.deploymentId}::bigint))`)
}

export async function save(
  tx: Transaction,
  { ecosystem, name, shownName }: { ecosystem: string; name: string; shownName: string },
  known: Known,
): Promise<WatchedRow> {
  const [row] = await tx.query<WatchedRow>(sql`insert into package_watch as w
      (deployment_id, person_id, ecosystem, name, shown_name, seen_repositories, seen_versions, seen_vulnerabilities,
        seen_kept_out)
    values (${tx.deploymentId}, ${tx.actor.personId}, ${ecosystem}, ${name}, ${shownName}, ${known.repositoryIds}::bigint[],
      ${known.versions}::text[], ${known.vulnerabilityIds}::text[], ${known.isKeptOut})
    on conflict (deployment_id, person_id, ecosystem, name) do update set seen_at = excluded.seen_at,
      seen_repositories = excluded.seen_repositories, seen_versions = excluded.seen_versions,
      seen_vulnerabilities = excluded.seen_vulnerabilities, seen_kept_out = excluded.seen_kept_out
    returning ${watched}`)
  return row!
}

export async function remove(tx: Transaction, ecosystem: string, name: string): Promise<WatchedRow | undefined> {
  const [row] = await tx.query<WatchedRow>(sql`delete from package_watch w where w.deployment_id = ${tx.deploymentId}
    and w.person_id = ${tx.actor.personId} and w.ecosystem = ${ecosystem} and w.name = ${name} returning ${watched}`)
  return row
}
