import sql, { empty, type Sql } from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { teamsOfRepository } from '../../teams/public.ts'
import { isTallied, type TalliedColumn, talliedBy } from '../counters/tally-store.ts'
import type { FindingCriteria } from './conditions.ts'
import type { FacetField } from './group-contract.ts'
import { findingsFor } from './group-store.ts'

export type FacetRow = { value: string; label: string; count: number }

type Source = {
  /** Parts of the question that its own counts leave out. */
  own: readonly (keyof FindingCriteria)[]
  /** What findings (`f`) are counted by. */
  key: Sql
  /** The values (`value`, `label`) of a key (`g.key`), as a query. */
  values: (deploymentId: number) => Sql
  /** A table beside the findings that the key is from. */
  beside?: Sql
}

const itself = () => sql`select g.key::text as value, '' as label`
const plain = (own: keyof FindingCriteria, key: Sql): Source => ({ own: [own], key, values: itself })
const several = (own: keyof FindingCriteria, list: Sql): Source => ({
  own: [own],
  key: sql`listed.one`,
  values: itself,
  beside: sql`cross join lateral (${list}) as listed (one)`,
})
const repository = sql`f.repository_id`
const repositoryIds = ['repositoryIds', 'repositories'] as const

const sources: Record<FacetField, Source> = {
  triageStates: plain('states', sql`f.state`),
  triageReasons: plain('reasons', sql`f.reason`),
  severities: plain('severities', sql`f.severity`),
  products: plain('products', sql`f.product`),
  confidences: plain('confidences', sql`f.confidence`),
  reachabilities: plain('reachabilities', sql`f.reachability`),
  validities: plain('validities', sql`f.validity`),
  categories: plain('categories', sql`f.category`),
  decidedBy: plain('deciders', sql`f.decided_by`),
  assignees: {
    own: ['assignees'],
    key: sql`given.person_id`,
    values: () => sql`select coalesce(g.key::text, 'none') as value,
      coalesce((select person.name from person where person.id = g.key), '') as label`,
    beside: sql`left join subject_assignment given on given.deployment_id = f.deployment_id and given.kind = 'finding'
      and given.subject_id = f.id`,
  },
  repositories: {
    own: repositoryIds,
    key: repository,
    values: (deploymentId) =>
      sql`select r.name as value, r.id::text as label from repository r where r.deployment_id = ${deploymentId} and r.id = g.key`,
  },
  tags: {
    own: ['tags'],
    key: repository,
    values: (deploymentId) => sql`select t.name as value, '' as label from repository_tag rt
      join tag t on t.deployment_id = rt.deployment_id and t.id = rt.tag_id
      where rt.deployment_id = ${deploymentId} and rt.repository_id = g.key`,
  },
  teams: {
    own: ['teams'],
    key: repository,
    values: (deploymentId) =>
      sql`select t.slug as value, t.name as label from (${teamsOfRepository(deploymentId, sql`g.key`)}) t`,
  },
  refs: { own: ['refs'], key: sql`f.stream_id`, values: (deploymentId) => ofStream(sql`s.ref`, deploymentId) },
  sources: { own: ['sources'], key: sql`f.stream_id`, values: (deploymentId) => ofStream(sql`s.source`, deploymentId) },
  ruleIds: {
    own: ['ruleIds'],
    key: sql`f.rule_id`,
    values: (deploymentId) => sql`select rule.external_id as value, rule.title as label from finding_rule rule
      where rule.deployment_id = ${deploymentId} and rule.id = g.key`,
  },
  cwes: several('cwes', sql`select unnest(f.cwes)`),
  owasp: several('owasp', sql`select jsonb_array_elements_text(f.content->'owasp')`),
  vulnerabilityIds: several('vulnerabilityIds', sql`select unnest(f.vulnerability_ids)`),
  dependencies: {
    own: ['dependency'],
    key: sql`listed.one`,
    values: () => sql`select g.key->>'name' as value, g.key->>'ecosystem' as label`,
    beside: sql`cross join lateral (select (f.content->'dependency') - 'version'
      where jsonb_typeof(f.content->'dependency') = 'object') as listed (one)`,
  },
  paths: several('paths', sql`select f.path where f.path <> ''`),
}

/** What counters tell without a look at the findings. */
const talliedColumns: Partial<Record<FacetField, TalliedColumn>> = {
  triageStates: 'state',
  severities: 'severity',
  products: 'product',
}

function ofStream(column: Sql, deploymentId: number): Sql {
  return sql`select ${column} as value, '' as label from finding_stream s
    where s.deployment_id = ${deploymentId} and s.id = g.key`
}

/** Undefined: the numbers that stand for words, all of which are shown. */
export type Page = { contains: string | undefined; limit: number | undefined }

/** How many findings have each value of a field, whatever the question says about that field. */
export async function countValues(
  db: Queryable,
  actor: Actor,
  field: FacetField,
  wanted: FindingCriteria,
  { contains, limit }: Page,
): Promise<FacetRow[]> {
  const { own, key, values, beside } = sources[field]
  const asked = without(wanted, own)
  const column = key === repository ? 'repository_id' : talliedColumns[field]
  const counts =
    column && isTallied(asked)
      ? talliedBy(column, actor, asked)
      : sql`select ${key} as key, count(*) as count
          from ${await findingsFor(db, actor, asked, beside ?? empty)} group by 1`
  // People are looked for by name.
  const searched = field === 'assignees' ? sql`n.label` : sql`n.value`
  return db.query(sql`select n.value, min(n.label) as label, sum(g.count)::bigint as count
    from (${counts}) g cross join lateral (${values(db.deploymentId)} offset 0) n
    ${contains === undefined ? empty : sql`where strpos(lower(${searched}), lower(${contains})) > 0`}
    group by n.value ${field === 'dependencies' ? sql`, n.label` : empty} order by 3 desc, 1
    ${limit === undefined ? empty : sql`limit ${limit}`}`)
}

function without(wanted: FindingCriteria, own: readonly (keyof FindingCriteria)[]): FindingCriteria {
  return { ...wanted, ...Object.fromEntries(own.map((name) => [name, undefined])) }
}
