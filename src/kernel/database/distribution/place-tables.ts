import type pg from 'pg'
import { besideAll, type Place, tablesToPlace } from './placement.ts'

type Part = { table: string; name: string; definition: string }
type Policy = { table: string; name: string; roles: string; command: string; using: string; check: string }

/** A trigger of a reference table would run for each of its copies. What these do is done by statements as well. */
const replacedTriggers = ['membership_provisioned', 'membership_views']

/**
 * Gives every table that has none its place, in the transaction that is open: all of them, or nothing. Foreign keys go first and
 * come back last, because a table can refer only to tables that have their place. Answers with those that were placed.
 */
export async function placeTables(client: pg.Client): Promise<string[]> {
  const places = await unplaced(client)
  const tables = [...places.keys()]
  if (tables.length === 0) return []
  const keys = await dropped(client, foreignKeys, 'alter table %t drop constraint %n', tables)
  // They are for what happens to rows, and not for rows that move to where they will be.
  const triggers = await dropped(client, ownTriggers, 'drop trigger %n on %t', tables)
  await replacePolicies(client)
  for (const [table, where] of places) await place(client, table, where)
  for (const { table, definition } of keys) await client.query(`alter table ${table} add ${definition}`)
  for (const { name, definition } of triggers) if (!replacedTriggers.includes(name)) await client.query(definition)
  return tables
}

/** What was in a table before it was distributed stays beside its shards, for nobody; also where that was killed before it got here. */
export async function forgetLocalRows(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ table: string }>(
    `select oid::regclass::text as table from pg_class
    where oid = any($1::regclass[]) and pg_relation_size(oid) > 0 order by 1`,
    [[...(await tablesToPlace(client)).keys()]],
  )
  for (const { table } of rows) {
    await client.query('select truncate_local_data_after_distributing_table($1::regclass)', [table])
  }
}

/** Tables that are not where they belong, and where that is. */
export async function unplaced(client: pg.ClientBase): Promise<Map<string, Place>> {
  const { rows } = await client.query<{ table: string; method: string; copies: string }>(
    `select c.relname as table, p.partmethod as method, p.repmodel as copies
    from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid where c.relnamespace = 'public'::regnamespace`,
  )
  const found = new Map<string, Place>()
  for (const { table, method, copies } of rows) {
    if (method === 'h') found.set(table, 'by deployment')
    if (method === 'n' && copies === 't') found.set(table, 'everywhere')
  }
  return new Map([...(await tablesToPlace(client))].filter(([table, where]) => found.get(table) !== where))
}

async function place(client: pg.Client, table: string, where: Place): Promise<void> {
  if (where === 'everywhere') {
    await client.query('select create_reference_table($1)', [table])
    return
  }
  const beside = table === besideAll ? 'none' : besideAll
  await client.query("select create_distributed_table($1, 'deployment_id', colocate_with => $2)", [table, beside])
}

/** Citus has no SET NULL for keys with the deployment in them. What would be set is set by a statement. */
const foreignKeys = `select conrelid::regclass::text as table, quote_ident(conname) as name,
    format('constraint %I %s', conname, regexp_replace(pg_get_constraintdef(oid), ' ON DELETE SET NULL.*', '')) as definition
  from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace and conparentid = 0
    and (conrelid = any($1::regclass[]) or confrelid = any($1::regclass[])) order by 1, 2`

const ownTriggers = `select tgrelid::regclass::text as table, quote_ident(tgname) as name, pg_get_triggerdef(oid) as definition
  from pg_trigger where not tgisinternal and tgrelid = any($1::regclass[]) order by 1, 2`

/** Drops them, and says how each was made. */
async function dropped(client: pg.Client, found: string, drop: string, tables: readonly string[]): Promise<Part[]> {
  const { rows } = await client.query<Part>(found, [tables])
  for (const { table, name } of rows) await client.query(drop.replace('%n', name).replace('%t', table))
  return rows
}

/**
 * Citus takes no subquery in a policy, so what one looks for becomes a function of the column that it is found by: `id` or `email`
 * of a person.
 */
export async function replacePolicies(client: pg.Client): Promise<void> {
  const { rows } = await client.query<Policy>(
    `select tablename as table, policyname as name, array_to_string(roles, ', ') as roles, cmd as command,
      coalesce(qual, '') as using, coalesce(with_check, '') as check
    from pg_policies where schemaname = 'public' and (qual ~ 'SELECT' or with_check ~ 'SELECT')`,
  )
  for (const { table, name, roles, command, using, check } of rows) {
    const [condition, clause] = using ? [using, 'using'] : [check, 'with check']
    const [before, rest] = condition.split('EXISTS ( ') as [string, string]
    // What comes before opens as many parentheses as close after it.
    const open = before.split('(').length - before.split(')').length
    const query = rest.slice(0, rest.length - open - 1)
    const [named, column] = new RegExp(`\\b${table}\\.(id|email)\\b`).exec(query)!
    const asked = `${table}_${name}`
    // No other node has it.
    await onCoordinator(client, `drop policy ${name} on ${table}`)
    await client.query(`create or replace function ${asked}(given ${column === 'id' ? 'bigint' : 'text'}) returns boolean
      language plpgsql stable as $$ begin return exists (${query.replace('SELECT', 'SELECT 1').replaceAll(named, 'given')}); end $$`)
    await client.query(`create policy ${name} on ${table} for ${command} to ${roles}
      ${clause} (${before}${asked}(${column})${')'.repeat(open)})`)
  }
}

/** In the transaction that is open, and not passed on. */
export async function onCoordinator(client: pg.Client, statement: string): Promise<void> {
  await client.query('set local citus.enable_ddl_propagation = off')
  await client.query(statement)
  await client.query('set local citus.enable_ddl_propagation = on')
}
