import sql from 'sql-template-tag'
import { decidedBy } from '../../../domain/finding-sql.ts'
import { plainArray, textArray } from '../../../kernel/database/array-literal.ts'
import type { Transaction } from '../../../kernel/database/database.ts'
import { inTurns } from '../../../kernel/threads/in-turns.ts'
import { touch } from '../ingest/duplicates.ts'
import type { KnownFinding } from './pairing.ts'

const atOnce = 5_000

/** The code that findings show, by their ids; none of secrets. */
export async function listSnippets(tx: Transaction, ids: readonly number[]): Promise<Map<number, string>> {
  const rows = await tx.query<{ id: number; snippet: string | null }>(sql`select f.id,
      f.content->'locations'->0->>'snippet' as snippet
    from unnest(${plainArray(ids)}::bigint[]) as given (id)
    cross join lateral (select f.id, f.content from finding f
      where f.deployment_id = ${tx.deploymentId} and f.id = given.id offset 0) f`)
  const snippets = new Map<number, string>()
  await inTurns(rows, ({ id, snippet }) => snippets.set(id, snippet ?? ''))
  return snippets
}

type Renamed = Pick<KnownFinding, 'id' | 'fingerprint' | 'context'>

/**
 * Stores findings under other names. What has one of the former names on other branches may have to be counted in their place.
 * Nothing of it is shown to be another finding, so their version stays.
 */
export async function rename(
  tx: Transaction,
  { repositoryId, source }: { repositoryId: number; source: string },
  rows: readonly Renamed[],
  formerGroups: readonly string[],
): Promise<void> {
  for (let from = 0; from < rows.length; from += atOnce) {
    const some = rows.slice(from, from + atOnce)
    const ids = some.map((one) => one.id)
    touch(tx, ids)
    await tx.query(sql`update finding f set fingerprint = t.fingerprint, context = t.context
      from unnest(${plainArray(ids)}::bigint[], ${textArray(some.map((one) => one.fingerprint))}::text[],
        ${textArray(some.map((one) => one.context))}::text[]) as t (id, fingerprint, context)
      where f.deployment_id = ${tx.deploymentId} and f.id = t.id`)
  }
  const left = await tx.query<{ id: number }>(sql`select f.id
    from unnest(${textArray(formerGroups.map((group) => `${group}:`))}::text[],
      ${textArray(formerGroups.map((group) => `${group};`))}::text[]) as t (first, after)
    cross join (select s.id from finding_stream s where s.deployment_id = ${tx.deploymentId}
      and s.repository_id = ${repositoryId} and s.pull_request = 0 and s.source = ${source} offset 0) s
    cross join lateral (select f.id from finding f where f.deployment_id = ${tx.deploymentId} and f.stream_id = s.id
      and f.fingerprint >= t.first and f.fingerprint < t.after offset 0) f`)
  touch(
    tx,
    left.map((row) => row.id),
  )
}

/**
 * Gives the findings of a source in a repository other names, on every branch and in every pull request, by the new one. Where something
 * has the new name already, both stay as they are. Of pull requests that are over, of which there are ever more, only what people
 * decided still counts.
 */
export async function renameEverywhere(
  tx: Transaction,
  { repositoryId, source }: { repositoryId: number; source: string },
  names: ReadonlyMap<string, string>,
): Promise<void> {
  const ofSource = sql`s.deployment_id = ${tx.deploymentId} and s.repository_id = ${repositoryId} and s.source = ${source}`
  const given = sql`unnest(${textArray([...names.values()])}::text[], ${textArray([...names.keys()])}::text[]) as t (former, name)`
  const isFree = sql`not exists (select 1 from finding f where f.deployment_id = ${tx.deploymentId} and f.stream_id = s.id
    and f.fingerprint = t.name offset 0)`
  const rows = await tx.query<{ id: number }>(sql`with named as materialized (
      select f.id, t.name from ${given}
      cross join (select s.id from finding_stream s where ${ofSource} and s.pull_request = 0
        union all select s.id from finding_stream s where ${ofSource} and s.pull_request > 0 and s.ended_at is null offset 0) s
      cross join lateral (select f.id from finding f where f.deployment_id = ${tx.deploymentId} and f.stream_id = s.id
        and f.fingerprint = t.former offset 0) f
      where ${isFree}
      union all
      select f.id, t.name from ${given}
      cross join lateral (select f.id, f.stream_id from finding f where f.deployment_id = ${tx.deploymentId}
        and f.repository_id = ${repositoryId} and f.fingerprint = t.former and f.decided_by = ${decidedBy.person} offset 0) f
      cross join lateral (select s.id from finding_stream s where ${ofSource} and s.id = f.stream_id
        and s.pull_request > 0 and s.ended_at is not null offset 0) s
      where ${isFree})
    update finding f set fingerprint = named.name from named
    where f.deployment_id = ${tx.deploymentId} and f.id = named.id returning f.id`)
  touch(
    tx,
    rows.map((row) => row.id),
  )
}
