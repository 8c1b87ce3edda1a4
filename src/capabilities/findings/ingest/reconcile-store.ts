import sql, { join, raw, type Sql } from 'sql-template-tag'
import { decidedBy, stateIs } from '../../../domain/finding-sql.ts'
import { plainArray, textArray } from '../../../kernel/database/array-literal.ts'
import type { Transaction } from '../../../kernel/database/database.ts'
import { rowsNotCopied } from '../../../kernel/database/given-rows.ts'
import { createYield } from '../../../kernel/threads/event-loop-yield.ts'
import { kindOf, type MoveRow, moves, toMove } from '../counted-moves.ts'
import { noteCounterChanges as noteMoves } from '../counters/counter-changes.ts'
import type { Start } from '../identity/elsewhere-store.ts'
import type { KnownFinding, Names } from '../identity/pairing.ts'
import { timeOf } from '../lifecycle/transition-store.ts'
import { touch } from './duplicates.ts'
import type { FindingBatch, ObservedRule } from './pack.ts'

/** Held until the transaction ends; answers whether it is publicly exposed. */
export async function lockRepository(tx: Transaction, id: number): Promise<boolean> {
  const [row] = await tx.query<{ exposed: boolean }>(sql`select r.publicly_exposed as exposed from repository r
    where r.deployment_id = ${tx.deploymentId} and r.id = ${id} for no key update of r`)
  if (!row) throw new Error(`there is no repository ${id} to observe`)
  return row.exposed
}

type Subject = {
  repositoryId: number
  ref: string
  pullRequest: number
  source: string
  scanId: number
  at?: Date | undefined
  complete: boolean
}

export async function openStream(tx: Transaction, subject: Subject): Promise<number> {
  const [row] = await tx.query<{ id: number }>(sql`insert into finding_stream as s
      (deployment_id, repository_id, pull_request, ref, source, scan_id, observed_at, whole)
    values (${tx.deploymentId}, ${subject.repositoryId}, ${subject.pullRequest}, ${subject.ref}, ${subject.source},
      ${subject.scanId}, ${timeOf(subject.at)}, ${subject.complete})
    on conflict (deployment_id, repository_id, pull_request, (case when pull_request = 0 then ref else '' end), source)
      do update set ref = excluded.ref, scan_id = excluded.scan_id, observed_at = excluded.observed_at,
        whole = s.whole or excluded.whole, ended_at = null
    returning id`)
  return row!.id
}

const mostRulesAtOnce = 5_000

/** The ids of these rules, in their order; made where they are not known yet, in one order everywhere. */
export async function identifyRules(
  tx: Transaction,
  source: string,
  rules: readonly ObservedRule[],
): Promise<number[]> {
  if (rules.length <= mostRulesAtOnce) return identifySome(tx, source, rules)
  // In several statements, since making one of very many rules ready would hold up everybody else.
  const places = [...rules.keys()].sort((a, b) => (rules[a]!.externalId < rules[b]!.externalId ? -1 : 1))
  const ids = new Array<number>(rules.length)
  for (let from = 0; from < places.length; from += mostRulesAtOnce) {
    const some = places.slice(from, from + mostRulesAtOnce)
    const found = await identifySome(
      tx,
      source,
      some.map((place) => rules[place]!),
    )
    for (const [at, place] of some.entries()) ids[place] = found[at]!
  }
  return ids
}

async function identifySome(tx: Transaction, source: string, rules: readonly ObservedRule[]): Promise<number[]> {
  if (rules.length === 0) return []
  const externalIds = rules.map((rule) => rule.externalId)
  const given = sql`unnest(${externalIds}::text[], ${rules.map((rule) => rule.name)}::text[],
    ${rules.map((rule) => rule.title)}::text[]) with ordinality as t (external_id, name, title, place)`
  const added = tx.query(sql`insert into finding_rule (deployment_id, source, external_id, name, title)
    select distinct on (t.external_id collate "C") ${tx.deploymentId}::bigint, ${source}, t.external_id, t.name, t.title
    from ${given}
    where t.external_id not in (select r.external_id from finding_rule r where r.deployment_id = ${tx.deploymentId}
      and r.external_id = any(${externalIds}::text[]) and r.source = ${source})
    order by t.external_id collate "C", t.place
    on conflict do nothing`)
  const noted = noteHelp(tx, source, rules)
  const found = tx.query<{ id: number }>(sql`select r.id from ${given}
    join finding_rule r on r.deployment_id = ${tx.deploymentId} and r.external_id = t.external_id and r.source = ${source}
    order by t.place`)
  const [, , rows] = await Promise.all([added, noted, found])
  return rows.map((row) => row.id)
}

/** What the source says about its rules now; one that says nothing leaves what was said before. */
async function noteHelp(tx: Transaction, source: string, rules: readonly ObservedRule[]): Promise<void> {
  const told = [...new Map(rules.map((rule) => [rule.externalId, rule])).values()].filter(({ help }) =>
    Object.values(help).some((text) => text !== ''),
  )
  if (told.length === 0) return
  await tx.query(sql`with changed as materialized (
      select r.id, t.description, t.help, t.help_uri from unnest(${told.map((rule) => rule.externalId)}::text[],
        ${told.map(({ help }) => help.description)}::text[], ${told.map(({ help }) => help.text)}::text[],
        ${told.map(({ help }) => help.uri)}::text[]) as t (external_id, description, help, help_uri)
      join finding_rule r on r.deployment_id = ${tx.deploymentId} and r.external_id = t.external_id and r.source = ${source}
      where (r.description, r.help, r.help_uri) is distinct from (t.description, t.help, t.help_uri)
      order by r.external_id collate "C" for no key update of r)
    update finding_rule r set description = changed.description, help = changed.help, help_uri = changed.help_uri
    from changed where r.deployment_id = ${tx.deploymentId} and r.id = changed.id`)
}

export type StoredFindingRow = KnownFinding & { digest: string; reason: number; decider_id: number; silenced: boolean }

const storedColumns = sql`f.id, f.fingerprint, f.context, f.start_line, f.digest, f.state, f.reason, f.decided_by, f.decider_id, f.silenced,
  f.absent`
/** All but what was found to be fixed; in the words of the index. */
const stands = sql`(f.state <> ${stateIs.fixed} or (f.decided_by = ${decidedBy.person} and not f.absent))`

type StreamPlace = Pick<Subject, 'repositoryId' | 'pullRequest' | 'ref' | 'source'>

/** What stands of the stream of a subject, by fingerprint. */
export async function listStanding(tx: Transaction, subject: StreamPlace): Promise<Map<string, StoredFindingRow>> {
  return byFingerprint(await tx.query<StoredFindingRow>(standingOf(tx, streamOf(tx, subject))))
}

/** The id of the stream, as an expression: nobody has to wait until it is known. */
export function streamOf(tx: Transaction, { repositoryId, pullRequest, ref, source }: StreamPlace): Sql {
  return sql`(select s.id from finding_stream s where s.deployment_id = ${tx.deploymentId}
    and s.repository_id = ${repositoryId} and s.pull_request = ${pullRequest}
    and (case when s.pull_request = 0 then s.ref else '' end) = ${pullRequest === 0 ? ref : ''} and s.source = ${source})`
}

/**
 * What stands of the stream of a subject, and of what was fixed only what the parts name, so that it takes no longer however
 * much was fixed. All that is equal to a result is named by it. A look into the index of identities for each, in which ';'
 * follows ':', and nothing comes between a name and the same with the lowest character behind it.
 */
export async function listStored(
  tx: Transaction,
  subject: StreamPlace,
  { single, groups }: Names,
): Promise<Map<string, StoredFindingRow>> {
  const streamId = streamOf(tx, subject)
  // Under row-level security PostgreSQL 15 looks into no index for what `||` makes.
  const firsts = [...single, ...Array.from(groups, (group) => `${group}:`)]
  const afters = [...Array.from(single, (name) => `${name}\u0001`), ...Array.from(groups, (group) => `${group};`)]
  // 'is not true' keeps the planner from reading all that is fixed, and the order has it take that index without statistics too.
  const rows = await tx.query<StoredFindingRow>(sql`${standingOf(tx, streamId)}
    union all
    select f.* from unnest(${textArray(firsts)}::text[], ${textArray(afters)}::text[]) as t (first, after)
    cross join lateral (select ${storedColumns} from finding f
      where f.deployment_id = ${tx.deploymentId} and f.stream_id = ${streamId}
        and f.fingerprint >= t.first and f.fingerprint < t.after and ${stands} is not true
      order by f.fingerprint offset 0) f`)
  return byFingerprint(rows)
}

function standingOf(tx: Transaction, streamId: Sql): Sql {
  return sql`select ${storedColumns} from finding f
    where f.deployment_id = ${tx.deploymentId} and f.stream_id = ${streamId} and ${stands}`
}

export async function byFingerprint(rows: Iterable<StoredFindingRow>): Promise<Map<string, StoredFindingRow>> {
  const known = new Map<string, StoredFindingRow>()
  const breath = createYield()
  for (const row of rows) {
    known.set(row.fingerprint, row)
    const turn = breath()
    if (turn) await turn
  }
  return known
}

/** The rules and paths of findings, by their ids. */
export async function describeRows(
  tx: Transaction,
  ids: readonly number[],
): Promise<Map<number, { ruleId: string; path: string }>> {
  const rows = await tx.query<{ id: number; ruleId: string; path: string }>(sql`select f.id, f.path,
      r.external_id as "ruleId"
    from unnest(${plainArray(ids)}::bigint[]) as given (id)
    cross join lateral (select f.id, f.path, f.rule_id from finding f
      where f.deployment_id = ${tx.deploymentId} and f.id = given.id offset 0) f
    join finding_rule r on r.deployment_id = ${tx.deploymentId} and r.id = f.rule_id`)
  const about = new Map<number, { ruleId: string; path: string }>()
  const breath = createYield()
  for (const row of rows) {
    about.set(row.id, row)
    const turn = breath()
    if (turn) await turn
  }
  return about
}

/** Nothing of it is shown, so nothing else changes with it. */
export async function markPresence(tx: Transaction, ids: readonly number[], absent: boolean): Promise<void> {
  if (ids.length === 0) return
  await tx.query(sql`update finding f set absent = ${absent} where f.deployment_id = ${tx.deploymentId}
    and f.id = any(${plainArray(ids)}::bigint[])`)
}

export type Surroundings = { id: number; context: string }

/** Nor of what is around it. */
export async function takeContexts(tx: Transaction, changed: readonly Surroundings[]): Promise<void> {
  // What is made ready for one statement takes the one thread some milliseconds.
  for (let from = 0; from < changed.length; from += contextsAtOnce) {
    const some = changed.slice(from, from + contextsAtOnce)
    const ids = some.map((one) => one.id)
    touch(tx, ids)
    await tx.query(sql`update finding f set context = t.context
      from unnest(${plainArray(ids)}::bigint[], ${textArray(some.map((one) => one.context))}::text[]) as t (id, context)
      where f.deployment_id = ${tx.deploymentId} and f.id = t.id`)
  }
}

const contextsAtOnce = 5_000

export type Context = {
  repositoryId: number
  streamId: number
  pullRequest: number
  scanId: number
  at: Date | undefined
  exposed: boolean
  /** By the rules of the observation. */
  ruleIds: readonly number[]
  silenced: readonly boolean[]
}

/** `ordinal` is a place in the batch, from 1. `fingerprint` is there where it is not that of the batch. */
export type Fresh = { ordinal: number; fingerprint?: string | undefined } & Start
export type Changed = { ordinal: number; id: number }

const open = 1

/** New findings. Those that do not start as open have a line of history that says why. Answers with their ids. */
export async function raise(
  tx: Transaction,
  context: Context,
  batch: FindingBatch,
  fresh: readonly Fresh[],
): Promise<number[]> {
  if (fresh.length === 0) return []
  const { repositoryId, streamId, pullRequest, scanId, exposed } = context
  const decided = fresh.filter((one) => one.state !== open)
  const renamed = fresh.filter((one) => one.fingerprint !== undefined)
  const rows = await tx.query<MoveRow & { ids: string }>(sql`with inserted as (
      insert into finding as f (deployment_id, repository_id, stream_id, pull_request, exposed, scan_id, raised_at, state_at,
        fingerprint, context, ${join(columnNames)}, state, reason, decided_by, decider_id, change_count)
      select ${tx.deploymentId}::bigint, ${repositoryId}::bigint, ${streamId}::bigint, ${pullRequest}::integer,
        ${exposed}::boolean, ${scanId}::bigint, ${timeOf(context.at)}, ${timeOf(context.at)},
        coalesce(n.fingerprint, t.fingerprint), t.context, ${join(columnsOf(context, batch))},
        coalesce(d.state, ${open}), coalesce(d.reason, 0), coalesce(d.decided_by, 0), coalesce(d.decider_id, 0),
        case when d.state is null then 0 else 1 end
      from ${given(batch)}
      left join unnest(${decided.map((one) => one.ordinal)}::integer[], ${decided.map((one) => one.state)}::smallint[],
        ${decided.map((one) => one.reason)}::smallint[], ${decided.map((one) => one.decidedBy)}::smallint[],
        ${decided.map((one) => one.deciderId)}::bigint[]) as d (ordinal, state, reason, decided_by, decider_id)
        on d.ordinal = t.place
      left join unnest(${renamed.map((one) => one.ordinal)}::integer[], ${renamed.map((one) => one.fingerprint!)}::text[])
        as n (ordinal, fingerprint) on n.ordinal = t.place
      ${chosen(batch, fresh)}
      returning id, repository_id, raised_at, rule_id, category, cell, ${kindOf} as kind, state, reason, decided_by, decider_id, change_count
    ), noted as (
      insert into finding_history (deployment_id, finding_id, seq, at, from_state, from_reason, to_state, to_reason,
        decided_by, decider_id, token_id, scan_id, note)
      select ${tx.deploymentId}::bigint, id, 1, raised_at, ${open}, 0, state, reason, decided_by, decider_id, 0,
        ${scanId}::bigint, ''
      from inserted where change_count = 1
      ${rowsNotCopied}
    )
    select repository_id, date_trunc('day', raised_at, 'UTC') as day, rule_id as to_rule, category as to_category,
      cell as to_cell, kind as to_kind, count(*) as count, string_agg(id::text, ',') as ids
    from inserted group by 1, 2, 3, 4, 5, 6`)
  noteMoves(
    tx,
    rows.map((row) => ({
      ...toMove(row),
      from: null,
      change: { on: row.day, fixes: false, formerFixOn: null },
    })),
  )
  const ids = rows.flatMap((row) => row.ids.split(',').map(Number))
  if (pullRequest === 0) touch(tx, ids)
  return ids
}

/** What the source says differently now. */
export async function refresh(
  tx: Transaction,
  context: Context,
  batch: FindingBatch,
  changed: readonly Changed[],
): Promise<void> {
  if (changed.length === 0) return
  const rows = await tx.query<MoveRow>(sql`with former as materialized (
      select f.id, f.rule_id, f.category, f.cell, ${kindOf} as kind, ${wordsOf(sql`f`)} from finding f
      where f.deployment_id = ${tx.deploymentId} and f.id = any(${changed.map((one) => one.id)}::bigint[])
    ), changed as (
      update finding f set ${assignments}, version = f.version + 1
      from (select m.id, ${named(columnsOf(context, batch))} from ${given(batch)}
        join unnest(${changed.map((one) => one.id)}::bigint[], ${changed.map((one) => one.ordinal)}::integer[])
          as m (id, ordinal) on m.ordinal = t.place) told
      where f.deployment_id = ${tx.deploymentId} and f.id = told.id
      returning f.id, f.repository_id, f.rule_id, f.category, f.cell, ${kindOf} as kind, ${wordsOf(sql`f`)}, f.raised_at
    ), unsigned as (
      insert into finding_unsigned select ${tx.deploymentId}::bigint, changed.id from changed
      join former on former.id = changed.id where (${wordsOf(sql`changed`)}) <> (${wordsOf(sql`former`)})
      ${rowsNotCopied}
    ) ${moves}`)
  noteMoves(tx, rows.map(toMove))
}

/** What of a finding its block is signed with. */
const wordsOf = (f: Sql): Sql => sql`${f}.path, ${f}.title, ${f}.message, ${f}.cwes, ${f}.vulnerability_ids`

const columnNames = [
  'rule_id',
  'digest',
  'product',
  'category',
  'severity',
  'confidence',
  'reachability',
  'validity',
  'verdict',
  'malicious',
  'start_line',
  'path',
  'title',
  'message',
  'cwes',
  'vulnerability_ids',
  'content',
  'detail',
  'silenced',
].map((name) => raw(name))

/** What goes into `columnNames`, in their order. */
function columnsOf({ ruleIds, silenced, pullRequest }: Context, { heads }: FindingBatch): Sql[] {
  const hushed = pullRequest > 0 ? sql`or (${heads.suppressed}::boolean[])[t.place::integer]` : sql``
  return [
    sql`(${ruleIds}::bigint[])[t.rule]`,
    sql`t.digest`,
    sql`t.product`,
    sql`t.category`,
    sql`t.severity`,
    sql`t.confidence`,
    sql`t.reachability`,
    sql`t.validity`,
    sql`t.verdict`,
    sql`t.malicious`,
    sql`t.start_line`,
    sql`t.path`,
    sql`t.title`,
    sql`t.message`,
    sql`string_to_array(t.cwes, ' ')`,
    sql`string_to_array(t.vulnerability_ids, ' ')`,
    sql`t.content::jsonb`,
    sql`nullif(t.detail, '')::jsonb`,
    sql`(${silenced}::boolean[])[t.rule] ${hushed}`,
  ]
}

/** From a subquery: Citus 13 crashes where an element of an array is assigned. */
const assignments = join(columnNames.map((name) => sql`${name} = told.${name}`))

function named(values: readonly Sql[]): Sql {
  return join(columnNames.map((name, at) => sql`${values[at]} as ${name}`))
}

function given({ columns: c }: FindingBatch): Sql {
  return sql`unnest(${c.rule}::integer[], ${c.fingerprint}::text[], ${c.digest}::text[], ${c.product}::smallint[],
    ${c.category}::smallint[], ${c.severity}::smallint[], ${c.confidence}::smallint[], ${c.reachability}::smallint[],
    ${c.validity}::smallint[], ${c.verdict}::smallint[], ${c.malicious}::boolean[], ${c.startLine}::integer[],
    ${c.path}::text[], ${c.title}::text[], ${c.message}::text[], ${c.cwes}::text[], ${c.vulnerabilityIds}::text[],
    ${c.content}::text[], ${c.detail}::text[], ${c.context}::text[]) with ordinality as t (rule, fingerprint, digest, product, category, severity, confidence,
    reachability, validity, verdict, malicious, start_line, path, title, message, cwes, vulnerability_ids, content, detail, context, place)`
}

/** The whole batch, where nothing of it is known yet. */
function chosen(batch: FindingBatch, fresh: readonly Fresh[]): Sql {
  if (fresh.length === batch.heads.fingerprint.length) return sql``
  return sql`where t.place = any(${fresh.map((one) => one.ordinal)}::bigint[])`
}
