import sql from 'sql-template-tag'
import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import type { OsvPackage } from '../../../formats/osv/record.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { within } from '../matching/match-store.ts'

/** A record as its database has it, in its own words. */
export type AdvisoryRecordRow = {
  id: number
  externalId: string
  ids: string[]
  publishedAt: Date
  modifiedAt: Date
  withdrawnAt: Date | null
  severity: number
  vector: string
  cwes: string[]
  summary: string
  details: string
  links: string[]
  packages: OsvPackage[]
}

export type NamedRecord = { externalId: string; modifiedAt: Date }

/** Normalised, with the order key of a version; null for any version. */
export type PackageQuestion = { ecosystem: EcosystemId; name: string; key: Uint8Array | null }

const columns = sql`id, external_id as "externalId", ids, published_at as "publishedAt", modified_at as "modifiedAt",
  withdrawn_at as "withdrawnAt", severity, vector, cwes, summary, details, links, packages`

/** For each question the records that name it, by their ids; of one that several feeds have, the latest. */
export async function recordsNaming(db: Queryable, questions: readonly PackageQuestion[]): Promise<NamedRecord[][]> {
  const hits = await db.query<{ n: number; id: number }>(sql`select distinct given.n::int as n, r.vulnerability_id as id
    from unnest(${questions.map(({ name }) => name)}::text[], ${questions.map(({ ecosystem }) => ecosystem)}::text[],
      ${questions.map(({ key }) => key && Buffer.from(key))}::bytea[]) with ordinality as given (name, ecosystem, key, n)
    join lateral (select r.vulnerability_id from vulnerability_range r where r.name = given.name
      and r.ecosystem = given.ecosystem and r.live and (given.key is null or (${within(sql`given.key`)})) offset 0) r on true`)
  const ids = [...new Set(hits.map(({ id }) => id))]
  const rows = await db.query<NamedRecord & { id: number }>(sql`select id, external_id as "externalId",
      modified_at as "modifiedAt" from vulnerability where id = any(${ids}::bigint[])`)
  const known = new Map(rows.map((row) => [row.id, row]))
  const named = questions.map(() => new Map<string, NamedRecord>())
  for (const { n, id } of hits) {
    const record = known.get(id)
    if (!record) continue
    const { externalId, modifiedAt } = record
    const before = named[n - 1]!.get(externalId)
    if (!before || before.modifiedAt < modifiedAt) named[n - 1]!.set(externalId, { externalId, modifiedAt })
  }
  return named.map((records) => [...records.values()])
}

/** Those with these ids that a feed still has; of one that several have, the latest. */
export function listRecords(db: Queryable, externalIds: readonly string[]): Promise<AdvisoryRecordRow[]> {
  return db.query(sql`select distinct on (external_id) ${columns} from vulnerability
    where ids && ${[...externalIds]}::text[] and external_id = any(${[...externalIds]}::text[]) and listed
    order by external_id, modified_at desc`)
}

/** All that are about packages of an ecosystem, from after an id on, withdrawn ones too. */
export function listRecordsAbout(
  db: Queryable,
  ecosystem: EcosystemId,
  after: number,
  limit: number,
): Promise<AdvisoryRecordRow[]> {
  return db.query(sql`select ${columns} from vulnerability
    where id > ${after} and listed and packages @> ${about(ecosystem)}::jsonb order by id limit ${limit}`)
}

/** A line for each, the latest change first. One text: it is made where the rows are, and passed on as it is. */
export async function modifiedLines(db: Queryable, ecosystem: EcosystemId): Promise<string> {
  const [row] = await db.query<{ lines: string | null }>(sql`select string_agg(
      to_char(modified_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || ',' || external_id, E'\n'
      order by modified_at desc, external_id) as lines
    from (select external_id, max(modified_at) as modified_at from vulnerability
      where listed and packages @> ${about(ecosystem)}::jsonb group by external_id) record`)
  return row?.lines ?? ''
}

/** Moves with every change of them. */
export async function readRevision(db: Queryable): Promise<number> {
  const [row] = await db.query<{ revision: number }>(sql`select revision from vulnerability_state`)
  return row!.revision
}

const about = (ecosystem: EcosystemId) => JSON.stringify([{ ecosystem }])
