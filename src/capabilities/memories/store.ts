import sql, { empty, type Sql } from 'sql-template-tag'
import { emailOfPerson } from '../../domain/person-names.ts'
import { type Actor, seesEverything } from '../../kernel/access/actor.ts'
import type { PageRequest } from '../../kernel/contract/pagination.ts'
import type { Queryable, Transaction } from '../../kernel/database/database.ts'
import { visibleTo } from '../repositories/public.ts'
import type { Counts } from './applying/replay.ts'
import type { Source } from './memory.ts'
import type { Scope } from './scope.ts'

export const stages = { suggested: 1, live: 2, deleted: 3 } as const
export type Stage = (typeof stages)[keyof typeof stages]

/** What of a memory its maker says. */
export type Fields = Scope & { content: string; contexts: string[] }

export type MemoryRow = Fields &
  Counts & {
    id: number
    stage: Stage
    ruleName: string
    repositoryName: string
    sources: Source[]
    createdBy: string
    createdAt: Date
    version: number
  }

const columns = sql`m.id, m.content, m.stage, m.contexts, m.rule, m.repository_id as "repositoryId", m.tag_id as "tagId",
  m.path_prefixes as "pathPrefixes", m.vulnerability_class as "vulnerabilityClass", m.newly_true as "newlyTrue",
  m.newly_false as "newlyFalse", m.remains_true as "remainsTrue", m.remains_false as "remainsFalse", m.sources,
  m.created_at as "createdAt", m.version,
  coalesce((select r.name from finding_rule r where r.deployment_id = m.deployment_id and r.external_id = m.rule
    and m.rule <> '' and r.name <> '' order by r.id limit 1), '') as "ruleName",
  coalesce((select r.name from repository r where r.deployment_id = m.deployment_id and r.id = m.repository_id), '')
    as "repositoryName",
  ${emailOfPerson(sql`m.deployment_id`, sql`m.created_by`)} as "createdBy"`

/** Those of repositories the actor sees, of tags that such repositories carry, and those of the whole deployment. */
function visible(actor: Actor): Sql {
  if (seesEverything(actor)) return sql`true`
  return sql`(m.repository_id is null or ${visibleTo(actor, sql`m.repository_id`)})
    and (m.tag_id is null or exists (select 1 from repository_tag rt where rt.deployment_id = m.deployment_id
      and rt.tag_id = m.tag_id and ${visibleTo(actor, sql`rt.repository_id`)}))`
}

export type LiveFilter = { repositoryIds: readonly number[]; exactScope: boolean }

export function listLive(db: Queryable, actor: Actor, filter: LiveFilter): Promise<MemoryRow[]> {
  return db.query(sql`select ${columns} from memory m
    where m.deployment_id = ${db.deploymentId} and m.stage = ${stages.live} and ${visible(actor)} ${about(actor, filter)}
    order by m.id`)
}

/** Tags only of repositories the actor sees: which others carry is not theirs to know. */
function about(actor: Actor, { repositoryIds, exactScope }: LiveFilter): Sql {
  if (repositoryIds.length === 0) return empty
  const exactly = sql`m.repository_id = any(${repositoryIds}::bigint[])`
  if (exactScope) return sql`and ${exactly}`
  return sql`and (${exactly} or m.repository_id is null and (m.tag_id is null or m.tag_id in (
    select rt.tag_id from repository_tag rt where rt.deployment_id = m.deployment_id
      and rt.repository_id = any(${repositoryIds}::bigint[]) and ${visibleTo(actor, sql`rt.repository_id`)})))`
}

/** With one more than the page has. */
export function list(
  db: Queryable,
  actor: Actor,
  which: readonly Stage[],
  { after, size }: PageRequest,
): Promise<MemoryRow[]> {
  return db.query(sql`select ${columns} from memory m
    where m.deployment_id = ${db.deploymentId} and m.id > ${after} and m.stage = any(${which}::smallint[])
      and ${visible(actor)} order by m.id limit ${size + 1}`)
}

export function listSuggested(
  db: Queryable,
  actor: Actor,
  repositoryIds: readonly number[] | undefined,
): Promise<MemoryRow[]> {
  const those = repositoryIds ? sql`and m.repository_id = any(${repositoryIds}::bigint[])` : empty
  return db.query(sql`select ${columns} from memory m
    where m.deployment_id = ${db.deploymentId} and m.stage = ${stages.suggested} and ${visible(actor)} ${those}
    order by m.id`)
}

export async function countSuggested(db: Queryable, actor: Actor): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`select count(*) as count from memory m
    where m.deployment_id = ${db.deploymentId} and m.stage = ${stages.suggested} and ${visible(actor)}`)
  return row!.count
}

export async function find(db: Queryable, actor: Actor, id: number): Promise<MemoryRow | undefined> {
  const [row] = await db.query<MemoryRow>(sql`select ${columns} from memory m
    where m.deployment_id = ${db.deploymentId} and m.id = ${id} and ${visible(actor)}`)
  return row
}

/** Held until the transaction ends. */
export async function lock(tx: Transaction, actor: Actor, id: number): Promise<MemoryRow | undefined> {
  await tx.query(sql`select from memory m where m.deployment_id = ${tx.deploymentId} and m.id = ${id} for update`)
  return find(tx, actor, id)
}

/** How many there are, and how much is said in them: they are listed as a whole. */
export async function extent(db: Queryable): Promise<{ count: number; bytes: number }> {
  const [row] = await db.query<{ count: number; bytes: number }>(sql`select count(*) as count,
      coalesce(sum(octet_length(content) + octet_length(path_prefixes::text) + octet_length(sources::text)), 0)::bigint as bytes
    from memory where deployment_id = ${db.deploymentId} and stage <> ${stages.deleted}`)
  return row!
}

export type NewRow = Fields & { createdBy: number; sources: readonly Source[]; suggestionKey: string | null }

/** As a suggestion. Undefined where that was suggested before. */
export async function insert(tx: Transaction, memory: NewRow): Promise<number | undefined> {
  const [row] = await tx.query<{ id: number }>(sql`insert into memory (deployment_id, content, stage, contexts, rule,
      repository_id, tag_id, path_prefixes, vulnerability_class, sources, suggestion_key, created_by)
    values (${tx.deploymentId}, ${memory.content}, ${stages.suggested}, ${memory.contexts}::text[], ${memory.rule},
      ${memory.repositoryId}, ${memory.tagId}, ${memory.pathPrefixes}::text[], ${memory.vulnerabilityClass},
      ${JSON.stringify(memory.sources)}::jsonb, ${memory.suggestionKey}, ${memory.createdBy})
    on conflict (deployment_id, suggestion_key) do nothing returning id`)
  return row?.id
}

export async function update(tx: Transaction, id: number, fields: Fields): Promise<void> {
  await tx.query(sql`update memory set content = ${fields.content}, contexts = ${fields.contexts}::text[],
      rule = ${fields.rule}, repository_id = ${fields.repositoryId}, tag_id = ${fields.tagId},
      path_prefixes = ${fields.pathPrefixes}::text[], vulnerability_class = ${fields.vulnerabilityClass},
      version = version + 1
    where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

export async function setStage(tx: Transaction, id: number, stage: Stage): Promise<void> {
  await tx.query(sql`update memory set stage = ${stage}, version = version + 1,
      live_since = ${stage === stages.live ? sql`statement_timestamp()` : sql`live_since`}
    where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

export async function setCounts(tx: Transaction, id: number, counts: Counts): Promise<void> {
  await tx.query(sql`update memory set newly_true = ${counts.newlyTrue}, newly_false = ${counts.newlyFalse},
      remains_true = ${counts.remainsTrue}, remains_false = ${counts.remainsFalse}
    where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

/** Held until the transaction ends: what was suggested under this key, whatever became of it. */
export async function lockSuggestion(tx: Transaction, key: string): Promise<{ id: number; stage: Stage } | undefined> {
  const [row] = await tx.query<{ id: number; stage: Stage }>(sql`select id, stage from memory
    where deployment_id = ${tx.deploymentId} and suggestion_key = ${key} for update`)
  return row
}

export async function setSources(tx: Transaction, id: number, sources: readonly Source[]): Promise<boolean> {
  const rows = await tx.query(sql`update memory set sources = ${JSON.stringify(sources)}::jsonb, version = version + 1
    where deployment_id = ${tx.deploymentId} and id = ${id} and sources <> ${JSON.stringify(sources)}::jsonb returning id`)
  return rows.length > 0
}

export async function tagExists(tx: Transaction, id: number): Promise<boolean> {
  const rows = await tx.query(
    sql`select from tag where deployment_id = ${tx.deploymentId} and id = ${id} for key share`,
  )
  return rows.length > 0
}
