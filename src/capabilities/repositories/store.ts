import sql, { empty } from 'sql-template-tag'
import type { LinkTemplates } from '../../domain/code-links.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import type { PageRequest } from '../../kernel/contract/pagination.ts'
import type { Queryable, Transaction } from '../../kernel/database/database.ts'
import { type RepositoryFields, visibleTo } from './public.ts'
import { tagNames } from './tag-names.ts'

export type RepositoryRow = {
  id: number
  name: string
  tags: string[]
  archived: boolean
  publicly_exposed: boolean
  default_branch: string
  kind: 'code' | 'package-clients'
  created_at: Date
  version: number
  web_url: string
  link_templates: Partial<LinkTemplates>
}

export type RepositoryFilter = { name?: string | undefined; tag?: string | undefined; includeArchived: boolean }

const columns = sql`r.id, r.name, r.archived, r.publicly_exposed, r.default_branch, r.kind, r.created_at, r.version,
  r.web_url, r.link_templates, ${tagNames} as tags`

export function list(
  db: Queryable,
  actor: Actor,
  filter: RepositoryFilter,
  page: PageRequest,
): Promise<RepositoryRow[]> {
  const named = filter.name === undefined ? empty : sql`and strpos(lower(r.name), lower(${filter.name})) > 0`
  const tagged =
    filter.tag === undefined
      ? empty
      : sql`and exists (select 1 from repository_tag rt
          join tag t on t.deployment_id = rt.deployment_id and t.id = rt.tag_id
          where rt.deployment_id = r.deployment_id and rt.repository_id = r.id and t.name = ${filter.tag})`
  const current = filter.includeArchived ? empty : sql`and not r.archived`
  return db.query(sql`select ${columns} from repository r
    where r.deployment_id = ${db.deploymentId} and r.id > ${page.after} and ${visibleTo(actor, sql`r.id`)}
      ${current} ${named} ${tagged}
    order by r.id limit ${page.size + 1}`)
}

export async function find(db: Queryable, actor: Actor, id: number): Promise<RepositoryRow | undefined> {
  const [row] = await db.query<RepositoryRow>(sql`select ${columns} from repository r
    where r.deployment_id = ${db.deploymentId} and r.id = ${id} and ${visibleTo(actor, sql`r.id`)}`)
  return row
}

/** Held until the transaction ends. */
export async function lock(tx: Transaction, actor: Actor, id: number): Promise<boolean> {
  const rows = await tx.query(sql`select r.id from repository r
    where r.deployment_id = ${tx.deploymentId} and r.id = ${id} and ${visibleTo(actor, sql`r.id`)} for update of r`)
  return rows.length > 0
}

export async function update(tx: Transaction, id: number, fields: RepositoryFields): Promise<void> {
  await tx.query(sql`update repository set name = ${fields.name}, archived = ${fields.archived},
      publicly_exposed = ${fields.publiclyExposed}, default_branch = ${fields.defaultBranch}, version = version + 1
    where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

/** What is uploaded under its old name goes to the repository all the same. */
export async function keepFormerName(tx: Transaction, id: number, name: string): Promise<void> {
  await tx.query(sql`insert into former_repository_name (deployment_id, name, repository_id)
    values (${tx.deploymentId}, ${name}, ${id})
    on conflict (deployment_id, name) do update set repository_id = excluded.repository_id`)
}

export async function setLinks(
  tx: Transaction,
  id: number,
  { webUrl, linkTemplates }: { webUrl?: string; linkTemplates?: Partial<LinkTemplates> },
): Promise<void> {
  const templates = linkTemplates === undefined ? null : JSON.stringify(linkTemplates)
  await tx.query(sql`update repository r set web_url = coalesce(${webUrl ?? null}, r.web_url),
      link_templates = coalesce(${templates}::jsonb, r.link_templates)
    where r.deployment_id = ${tx.deploymentId} and r.id = ${id}`)
}

export async function remove(tx: Transaction, id: number): Promise<void> {
  await tx.query(sql`delete from repository where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

/** In one round trip: they run in this order. */
export async function setTags(tx: Transaction, id: number, names: readonly string[]): Promise<void> {
  await Promise.all([
    // In one order everywhere, so that two who introduce the same tags do not wait for each other.
    tx.query(sql`insert into tag (deployment_id, name)
      select distinct ${tx.deploymentId}::bigint, name from unnest(${names}::text[]) as given (name) order by name
      on conflict (deployment_id, name) do nothing`),
    tx.query(sql`delete from repository_tag rt using tag t
      where rt.deployment_id = ${tx.deploymentId} and rt.repository_id = ${id}
        and t.deployment_id = rt.deployment_id and t.id = rt.tag_id and t.name <> all(${names}::text[])`),
    tx.query(sql`insert into repository_tag (deployment_id, repository_id, tag_id)
      select t.deployment_id, ${id}::bigint, t.id from tag t
      where t.deployment_id = ${tx.deploymentId} and t.name = any(${names}::text[])
      on conflict do nothing`),
  ])
}

export type TagRow = { id: number; name: string; repository_count: number }

export function listTags(db: Queryable, actor: Actor, page: PageRequest): Promise<TagRow[]> {
  return db.query(sql`select t.id, t.name, count(*) as repository_count
    from tag t join repository_tag rt on rt.deployment_id = t.deployment_id and rt.tag_id = t.id
    where t.deployment_id = ${db.deploymentId} and t.id > ${page.after} and ${visibleTo(actor, sql`rt.repository_id`)}
    group by t.id, t.name order by t.id limit ${page.size + 1}`)
}
