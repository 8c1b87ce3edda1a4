import sql from 'sql-template-tag'
import type { Queryable, Transaction } from '../../kernel/database.ts'

/** Where a finding is counted: as what, and by when it was raised. */
export type Place = { rule_id: number; category: number; cell: number }
/** So many findings of a repository, raised in an hour, that are counted elsewhere from now on. */
export type Move = { repository_id: number; hour: Date; count: number; from: Place | null; to: Place | null }

type Entry = Place & { repository_id: number; hour: Date; change: number }

const ledgers = new WeakMap<Transaction, Map<string, Entry>>()

/**
 * Notes what moves; the counters themselves move once, at the end of the transaction, because others wait for them from
 * then on and because two who move them twice could wait for each other.
 */
export function note(tx: Transaction, moves: readonly Move[]): void {
  const entries = ledgers.get(tx) ?? open(tx)
  for (const { repository_id, hour, count, from, to } of moves) {
    if (from) add(entries, { ...from, repository_id, hour, change: -count })
    if (to) add(entries, { ...to, repository_id, hour, change: count })
  }
}

function open(tx: Transaction): Map<string, Entry> {
  const entries = new Map<string, Entry>()
  ledgers.set(tx, entries)
  tx.atEnd(() => close(tx, entries))
  return entries
}

function add(entries: Map<string, Entry>, entry: Entry): void {
  const key = [entry.repository_id, entry.rule_id, entry.category, entry.hour.getTime(), entry.cell].join()
  const known = entries.get(key)
  if (known) known.change += entry.change
  else entries.set(key, entry)
}

async function close(tx: Transaction, entries: ReadonlyMap<string, Entry>): Promise<void> {
  const changes = [...entries.values()].filter((entry) => entry.change !== 0)
  if (changes.length === 0) return
  await tx.query(sql`select move_finding_counts(${tx.deploymentId}::bigint,
    ${changes.map((one) => one.repository_id)}::bigint[], ${changes.map((one) => one.rule_id)}::bigint[],
    ${changes.map((one) => one.category)}::smallint[], ${changes.map((one) => one.hour)}::timestamptz[],
    ${changes.map((one) => one.cell)}::smallint[], ${changes.map((one) => one.change)}::integer[])`)
}

export type Miscount = {
  repository_id: number
  rule_id: number
  category: number
  grain: string
  starts_at: Date
  kept: number[]
  counted: number[]
}

/** Counters that are not what a recount of the findings says. */
export function recount(db: Queryable, limit = 100): Promise<Miscount[]> {
  const key = sql`repository_id, rule_id, category, grain, starts_at`
  const nothing = sql`array_fill(0, array[17])`
  return db.query(sql`with place as (
      select f.repository_id, f.rule_id, f.category, date_trunc('hour', f.raised_at, 'UTC') as hour, f.cell,
        count(*)::integer as number
      from finding f where f.deployment_id = ${db.deploymentId} group by 1, 2, 3, 4, 5
    ), list as (
      select array_agg(repository_id) as repositories, array_agg(rule_id) as rules, array_agg(category) as categories,
        array_agg(hour) as hours, array_agg(cell) as cells, array_agg(number) as numbers from place
    ), counted as (
      select ${key}, array(select coalesce(one, 0) from unnest(sums) with ordinality as t (one, at) order by at) as counted
      from list cross join lateral finding_sums(repositories, rules, categories, hours, cells, numbers) s
    ), kept as (
      select ${key}, array[silenced, open, fixed, ignored, provisional,
        code_standing, code_exploitable, code_exposed, code_priority,
        sca_standing, sca_exploitable, sca_exposed, sca_priority,
        secrets_standing, secrets_exploitable, secrets_exposed, secrets_priority] as kept
      from finding_count where deployment_id = ${db.deploymentId})
    select ${key}, coalesce(kept, ${nothing}) as kept, coalesce(counted, ${nothing}) as counted
    from counted full join kept using (${key})
    where coalesce(kept, ${nothing}) <> coalesce(counted, ${nothing}) order by ${key} limit ${limit}`)
}
