import type pg from 'pg'
import { roleNames } from '../connections/connection.ts'
import { besideAll, reference, tablesToPlace } from './placement.ts'

const roles: readonly string[] = Object.values(roleNames)

/** What our tables need of Citus: triggers on shards, functions in policies that read other tables, and the tenant on every node. */
export const citusSettings = {
  'citus.enable_unsafe_triggers': 'on',
  'citus.allow_nested_distributed_execution': 'on',
  'citus.propagate_set_commands': 'local',
  'citus.multi_shard_modify_mode': 'sequential',
}

/**
 * Functions with the owner's rights that write rows of a deployment. They run on its node, over the connection of whoever calls
 * them: Citus lets no second user change what another has changed in one transaction.
 */
const onNodeOfDeployment = ['audit_append', 'audit_forget', 'audit_head_for_append']

/**
 * Functions with the owner's rights that write accounts, which are on every node. For the same reason they have those of their
 * caller instead. What it may add and remove then is what the policies on accounts let in, which they are held to already.
 */
const asCaller = [
  'create_invited_account',
  'create_provider_account',
  'create_provisioned_account',
  'create_service_account',
  'remove_service_account',
]

/** In the transaction that places tables, or that changes them. */
export async function grantInTransaction(client: pg.Client): Promise<void> {
  await grantAccounts(client)
  await grantLocks(client)
}

/** What Citus does not pass on by itself, on every node. All of it can be done again. */
export async function grantOnNodes(client: pg.Client): Promise<void> {
  await createFunctions(client)
  await grantSequences(client)
  await grantColumns(client)
  await restrictShards(client)
}

export function everywhere(client: pg.Client, statement: string): Promise<void> {
  return onNodes(client, 'run_command_on_all_nodes', statement)
}

export function onWorkers(client: pg.Client, statement: string): Promise<void> {
  return onNodes(client, 'run_command_on_workers', statement)
}

async function onNodes(client: pg.Client, run: string, statement: string): Promise<void> {
  const { rows } = await client.query<{ success: boolean; result: string }>(`select success, result from ${run}($1)`, [
    statement,
  ])
  const failed = rows.find(({ success }) => !success)
  if (failed) throw new Error(`A node refuses ${statement.split('\n')[0]}: ${failed.result}`)
}

async function grantAccounts(client: pg.Client): Promise<void> {
  for (const name of asCaller) await client.query(`alter function ${name} security invoker`)
  await client.query(`grant insert, delete on person to ${roleNames.tenant}`)
  await client.query(`grant select, usage on sequence person_id_seq to ${roleNames.tenant}`)
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
    [reference, roles],
  )
  for (const { table, role } of rows) {
    await client.query(`create policy locks_${role} on ${table} as restrictive for delete to ${role} using (false)`)
    await client.query(`grant delete on ${table} to ${role}`)
  }
}

/** Shard queries call them, and so do triggers and policies of shards. */
async function createFunctions(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{
    signature: string
    name: string
  }>(`select p.oid::regprocedure::text as signature,
      p.proname as name
    from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prokind = 'f'
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`)
  for (const { signature, name } of rows) {
    if (!onNodeOfDeployment.includes(name)) await client.query('select create_distributed_function($1)', [signature])
    else
      await client.query(
        "select create_distributed_function($1, 'deployment', colocate_with => $2, force_delegation => true)",
        [signature, besideAll],
      )
  }
}

/** Who inserts what it selects takes the next number itself, and not the table for it; on the node that has the rows. */
async function grantSequences(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ grant: string }>(
    `select format('grant usage on sequence %s to %I', d.objid::regclass, r.rolname) as grant
    from pg_depend d join pg_class s on s.oid = d.objid and s.relkind = 'S' cross join pg_roles r
    where d.refobjid = any($1::regclass[]) and d.deptype = 'i' and r.rolname = any($2)
      and has_any_column_privilege(r.oid, d.refobjid, 'insert')`,
    [[...(await tablesToPlace(client)).keys()], roles],
  )
  if (rows.length > 0) await everywhere(client, rows.map(({ grant }) => grant).join('; '))
}

type ColumnRight = { table: string; privilege: string; columns: string; role: string }

/**
 * Rights on single columns, which Citus does not pass on. Shards that are there get them now, and no others; those that are made
 * later, where the rebalancer moves them to, get them as they are made.
 */
async function grantColumns(client: pg.Client): Promise<void> {
  const { rows: rights } = await client.query<ColumnRight>(
    `select c.relname as table, a.privilege_type as privilege,
      string_agg(quote_ident(t.attname), ', ') as columns, quote_ident(r.rolname) as role
    from pg_attribute t join pg_class c on c.oid = t.attrelid cross join aclexplode(t.attacl) a
    join pg_roles r on r.oid = a.grantee
    where c.relname = any($1) and c.relnamespace = 'public'::regnamespace group by 1, 2, 4 order by 1, 2, 4`,
    [[...(await tablesToPlace(client)).keys()]],
  )
  const given = JSON.stringify(rights)
  await everywhere(
    client,
    `set local citus.enable_ddl_propagation = off;
    create or replace function grant_columns_of_shard(shard regclass) returns void language plpgsql as $body$
    declare
      wanted record;
    begin
      for wanted in select attname from pg_attribute where attrelid = shard and attacl is not null loop
        execute format('revoke all (%I) on %s from ${roles.join(', ')}', wanted.attname, shard);
      end loop;
      for wanted in select * from jsonb_to_recordset($given$${given}$given$)
          as given ("table" text, privilege text, columns text, role text)
        where (select relname from pg_class where oid = shard) ~ ('^' || given."table" || '_[0-9]+$') loop
        execute format('grant %s (%s) on %s to %s', wanted.privilege, wanted.columns, shard, wanted.role);
      end loop;
    end $body$;
    create or replace function grant_columns_of_shards() returns event_trigger language plpgsql as $body$
    begin
      perform grant_columns_of_shard(objid) from pg_event_trigger_ddl_commands()
        where classid = 'pg_class'::regclass and object_type = 'table' and schema_name = 'public';
    end $body$;
    drop event trigger if exists grant_columns_of_shards;
    create event trigger grant_columns_of_shards on ddl_command_end when tag in ('CREATE TABLE')
      execute function grant_columns_of_shards();
    do $body$ begin
      perform grant_columns_of_shard(oid) from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace
        and relname ~ '_[0-9]+$';
    end $body$`,
  )
}

/**
 * Citus makes each policy of a shard a permissive one, which lets in instead of keeping out. Shards that are there get theirs as
 * the coordinator has them, and so do those that are made later.
 */
async function restrictShards(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `select tablename as table, policyname as name, array_to_string(roles, ', ') as roles, cmd as command,
      coalesce('using (' || qual || ')', '') || coalesce(' with check (' || with_check || ')', '') as condition
    from pg_policies where schemaname = 'public' and permissive = 'RESTRICTIVE' order by 1, 2`,
  )
  const given = JSON.stringify(rows)
  await everywhere(
    client,
    `set local citus.enable_ddl_propagation = off;
    create or replace function restrict_shard(shard regclass) returns void language plpgsql
      set citus.enable_ddl_propagation = 'off' as $body$
    declare
      wanted record;
    begin
      for wanted in select given.* from jsonb_to_recordset($given$${given}$given$)
          as given ("table" text, name text, roles text, command text, condition text)
        join pg_policy p on p.polrelid = shard and p.polname = given.name and p.polpermissive
        where (select relname from pg_class where oid = shard) ~ ('^' || given."table" || '(_[0-9]+)?$') loop
        execute format('drop policy %I on %s', wanted.name, shard);
        execute format('create policy %I on %s as restrictive for %s to %s %s', wanted.name, shard, wanted.command,
          wanted.roles, wanted.condition);
      end loop;
    end $body$;
    create or replace function restrict_shards() returns event_trigger language plpgsql as $body$
    begin
      perform restrict_shard(p.polrelid) from pg_event_trigger_ddl_commands() c join pg_policy p on p.oid = c.objid
        where c.classid = 'pg_policy'::regclass;
    end $body$;
    drop event trigger if exists restrict_shards;
    create event trigger restrict_shards on ddl_command_end when tag in ('CREATE POLICY') execute function restrict_shards();
    do $body$ begin
      perform restrict_shard(c.oid) from pg_class c where c.relnamespace = 'public'::regnamespace
        and exists (select from pg_policy p where p.polrelid = c.oid);
    end $body$`,
  )
}
