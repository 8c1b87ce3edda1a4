import pg from 'pg'
import { roleNames } from '../../src/kernel/database/connection.ts'
import type { Node } from './nodes.ts'
import { distributed, reference } from './placement.ts'

type ForeignKey = { table: string; name: string; definition: string }
type Policy = { name: string; roles: string; command: string; using: string; check: string }

/** What our tables need of Citus: triggers on shards, and functions in policies that read other tables of the node. */
const settings = ['citus.enable_unsafe_triggers', 'citus.allow_nested_distributed_execution']

/**
 * Distributes a migrated database, in one transaction: all of it, or nothing. Foreign keys go first and come back last, because
 * a table can refer only to tables that have their place.
 */
export async function distribute(coordinator: Node, shardCount: number): Promise<void> {
  const client = new pg.Client(coordinator)
  await client.connect()
  try {
    for (const role of Object.values(roleNames)) await client.query(`alter role ${role} login`)
    for (const setting of settings) await client.query(`alter database ${coordinator.database} set ${setting} = on`)
    await client.query('begin')
    for (const setting of settings) await client.query(`set local ${setting} = on`)
    await client.query(`set local citus.shard_count = ${shardCount};
      set local citus.multi_shard_modify_mode = 'sequential'; set local client_min_messages = warning`)
    const keys = await foreignKeys(client)
    for (const { table, name } of keys) await client.query(`alter table ${table} drop constraint ${name}`)
    await replacePolicies(client)
    for (const table of reference) await client.query('select create_reference_table($1)', [table])
    for (const table of distributed) {
      const colocated = table === distributed[0] ? 'none' : distributed[0]
      await client.query("select create_distributed_table($1, 'deployment_id', colocate_with => $2)", [
        table,
        colocated,
      ])
    }
    for (const { table, definition } of keys) await client.query(`alter table ${table} add ${definition}`)
    await grantLocks(client)
    await client.query('commit')
    await grantSequences(client)
    await grantColumns(client)
  } finally {
    await client.end()
  }
}

/**
 * Whoever writes to a reference table locks it on every node, and all that it refers to, and needs a right on the whole table
 * for that. So a role that has rights there gets the one to delete, and a policy by which it deletes nothing.
 */
async function grantLocks(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ table: string; role: string }>(
    `select c.relname as table, r.rolname as role
    from pg_class c cross join pg_roles r
    where c.oid = any($1::regclass[]) and c.relrowsecurity and r.rolname = any($2)
      and not has_table_privilege(r.oid, c.oid, 'update, delete')
      and (has_any_column_privilege(r.oid, c.oid, 'insert, update') or exists (
        with recursive reaching as (
          select k.conrelid, k.confrelid from pg_constraint k where k.contype = 'f' and k.confrelid = c.oid
          union select k.conrelid, k.confrelid from pg_constraint k join reaching on reaching.conrelid = k.confrelid
          where k.contype = 'f')
        select from reaching where has_any_column_privilege(r.oid, reaching.conrelid, 'insert, update')
          or has_table_privilege(r.oid, reaching.conrelid, 'delete')))`,
    [reference, Object.values(roleNames)],
  )
  for (const { table, role } of rows) {
    await client.query(`create policy locks_${role} on ${table} as restrictive for delete to ${role} using (false)`)
    await client.query(`grant delete on ${table} to ${role}`)
  }
}

/** Who inserts what it selects takes the next number itself, and not the table for it; on the node that has the rows. */
async function grantSequences(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ sequence: string; role: string }>(
    `select d.objid::regclass::text as sequence, r.rolname as role
    from pg_depend d join pg_class s on s.oid = d.objid and s.relkind = 'S' cross join pg_roles r
    where d.refobjid = any($1::regclass[]) and d.deptype = 'i' and r.rolname = any($2)
      and has_any_column_privilege(r.oid, d.refobjid, 'insert')`,
    [[...distributed, ...reference], Object.values(roleNames)],
  )
  for (const { sequence, role } of rows) {
    await client.query('select run_command_on_all_nodes($1)', [`grant usage on sequence ${sequence} to ${role}`])
  }
}

/** Rights on single columns, which Citus does not pass on to shards. */
async function grantColumns(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ table: string; grant: string }>(`select c.relname as table,
      format('grant %s (%s) on %%s to %I', a.privilege_type, string_agg(quote_ident(t.attname), ', '), r.rolname) as grant
    from pg_attribute t join pg_class c on c.oid = t.attrelid cross join aclexplode(t.attacl) a
    join pg_roles r on r.oid = a.grantee
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') group by c.relname, a.privilege_type, r.rolname`)
  for (const { table, grant } of rows) {
    await client.query('select run_command_on_placements($1, $2)', [table, grant])
  }
}

/** Citus has no SET NULL for keys with the deployment in them; deleting what is referred to is refused then. */
async function foreignKeys(client: pg.Client): Promise<ForeignKey[]> {
  const { rows } =
    await client.query<ForeignKey>(`select conrelid::regclass::text as table, quote_ident(conname) as name,
      format('constraint %I %s', conname, regexp_replace(pg_get_constraintdef(oid), 'ON DELETE SET NULL.*', '')) as definition
    from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace order by 1, 2`)
  return rows
}

/** Citus takes no subquery in a policy. All that have one are of `person`, and each looks for one column of it elsewhere. */
async function replacePolicies(client: pg.Client): Promise<void> {
  const { rows } =
    await client.query<Policy>(`select policyname as name, array_to_string(roles, ', ') as roles, cmd as command,
      coalesce(qual, '') as using, coalesce(with_check, '') as check
    from pg_policies where tablename = 'person' and (qual ~ 'SELECT' or with_check ~ 'SELECT')`)
  for (const { name, roles, command, using, check } of rows) {
    await client.query(`drop policy ${name} on person`)
    const [condition, clause] = using ? [using, 'using'] : [check, 'with check']
    const [before, rest] = condition.split('EXISTS ( ') as [string, string]
    // What comes before opens as many parentheses as close after it.
    const open = before.split('(').length - before.split(')').length
    const end = rest.length - open - 1
    const query = rest.slice(0, end)
    const column = /person\.(id|email)/.exec(query)![1]!
    const type = column === 'id' ? 'bigint' : 'text'
    await client.query(`create function person_${name}(given ${type}) returns boolean language sql stable as
      $$ select exists (${query.replaceAll(`person.${column}`, 'given')}) $$`)
    await client.query(`create policy ${name} on person for ${command} to ${roles}
      ${clause} (${before}person_${name}(${column})${')'.repeat(open)})`)
  }
}
