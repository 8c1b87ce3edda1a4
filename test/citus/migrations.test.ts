import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { roleNames } from '../../src/kernel/database/connections/connection.ts'
import { distributionLevel } from '../../src/kernel/database/distribution/distribution-level.ts'
import { unplaced } from '../../src/kernel/database/distribution/place-tables.ts'
import { migrate } from '../../src/kernel/database/migrations/migrate.ts'
import { migrationFolder } from '../../src/kernel/database/migrations/migration-files.ts'
import { deepOnly } from '../depth.ts'
import { poll } from '../servers/real-process.ts'
import { distribute } from './distribute.ts'
import { ask, startCitus, withoutCitus } from './nodes.ts'

/** What migrations of ours do, once each: what comes next has to be something that Citus passes on, or that we do in its place. */
const next = `-- compatible-with: 0001
create table shelf (
  deployment_id bigint not null references deployment on delete cascade,
  id bigint generated always as identity,
  repository_id bigint not null,
  keeper_id bigint,
  label text not null check (label <> ''),
  primary key (deployment_id, id),
  unique (deployment_id, label),
  foreign key (deployment_id, repository_id) references repository (deployment_id, id) on delete cascade,
  foreign key (deployment_id, keeper_id) references membership (deployment_id, person_id) on delete cascade
);
create index shelf_repository on shelf (deployment_id, repository_id);
alter table shelf enable row level security;
alter table shelf force row level security;
create policy tenant on shelf using (deployment_id = current_deployment()) with check (deployment_id = current_deployment());
grant select, insert, delete on shelf to gatehouse_app;
grant update (label) on shelf to gatehouse_app;
grant select (deployment_id, label) on shelf to gatehouse_worker;
alter table tag add column shelf_id bigint,
  add column note text not null default '',
  add foreign key (deployment_id, shelf_id) references shelf (deployment_id, id) on delete cascade;
alter table person add column motto text not null default '';
grant select (motto) on person to gatehouse_app;
revoke select (name) on person from gatehouse_worker;
create function shelf_label(given bigint) returns text language plpgsql stable as $$
declare
  own constant bigint := current_deployment();
begin
  return (select s.label from shelf s where s.deployment_id = own and s.id = given);
end $$;
create function count_shelves() returns trigger language plpgsql as $$
begin
  update repository set version = version + 1 where deployment_id = new.deployment_id and id = new.repository_id;
  return null;
end $$;
create trigger shelf_counted after insert on shelf for each row execute function count_shelves();
create or replace function create_service_account(address text, given_name text) returns bigint
  language plpgsql security definer set search_path from current as $$
declare
  account bigint := nextval('person_id_seq');
begin
  insert into person (id, email, name, password_hash, is_service) overriding system value
    values (account, address, given_name, '', true);
  return account;
end $$;
create policy keeper on person for select to gatehouse_worker using (exists (select from membership m
  where m.deployment_id = current_deployment() and m.person_id = person.id));
update tag set note = name where note = '';
drop table module_sum;
`

test('migrations reach every node of a distributed database, also after one was killed', {
  skip: withoutCitus || deepOnly('each migration on three servers takes a while'),
}, async (t) => {
  const { coordinator, workers, stop } = await startCitus()
  t.after(stop)
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-citus-migrations-'))
  t.after(() => rmSync(folder, { recursive: true }))
  await migrate(coordinator)
  await distribute(coordinator, 2)
  cpSync(migrationFolder, folder, { recursive: true })
  writeFileSync(join(folder, '9998_next.sql'), next)
  writeFileSync(
    join(folder, '9999_slow.sql'),
    'create table shelf_mark (deployment_id bigint primary key); select pg_sleep(60);',
  )

  const killed = migrate(coordinator, undefined, { folder }).then(
    () => assert.fail('it was killed'),
    (error) => error,
  )
  const kill = `select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'gatehouse migrate' and query like 'select pg_sleep%'`
  await poll('it is in the middle', async () => (await ask(coordinator, kill)).length > 0)
  assert.ok((await killed) instanceof Error)
  for (const node of [coordinator, ...workers]) {
    assert.deepEqual(await ask(node, "select to_regclass('shelf_mark') as found"), [{ found: null }])
  }

  writeFileSync(join(folder, '9999_slow.sql'), 'create table shelf_mark (deployment_id bigint primary key);')
  const { applied, version } = await migrate(coordinator, undefined, { folder })
  assert.deepEqual([applied, version], [['9999_slow.sql'], '9999_slow.sql'])
  const client = new pg.Client(coordinator)
  // Nodes are stopped before it ends.
  client.on('error', () => {})
  t.after(() => client.end())
  await client.connect()
  assert.equal(await distributionLevel(client), version)
  assert.deepEqual(await unplaced(client), new Map())

  const onShards = async (table: string, asked: string) => {
    const { rows } = await client.query<{ result: string }>('select result from run_command_on_shards($1, $2)', [
      table,
      asked,
    ])
    assert.ok(rows.length > 0)
    return [...new Set(rows.map(({ result }) => result))]
  }
  const right = (role: string, column: string, kind: string) =>
    `select has_column_privilege('${role}', '%s', '${column}', '${kind}')`
  assert.deepEqual(await onShards('shelf', right(roleNames.tenant, 'label', 'update')), ['t'])
  assert.deepEqual(await onShards('shelf', right(roleNames.tenant, 'keeper_id', 'update')), ['f'])
  assert.deepEqual(await onShards('shelf', right(roleNames.worker, 'label', 'select')), ['t'])
  assert.deepEqual(await onShards('shelf', right(roleNames.worker, 'keeper_id', 'select')), ['f'])
  assert.deepEqual(await onShards('person', right(roleNames.tenant, 'motto', 'select')), ['t'])
  assert.deepEqual(await onShards('person', right(roleNames.worker, 'name', 'select')), ['f'])
  const protectedBy = `select relrowsecurity and relforcerowsecurity from pg_class where oid = '%s'::regclass`
  assert.deepEqual(await onShards('shelf', protectedBy), ['t'])

  await client.query(`insert into deployment (id, name, slug) overriding system value values (7, 'seven', 'seven')`)
  // As every session of the product begins.
  await client.query(`set gatehouse.deployment = ''; set role ${roleNames.tenant}`)
  await client.query('begin')
  await client.query("set local gatehouse.tenant = '7'")
  const { rows: repository } = await client.query(
    "insert into repository (deployment_id, name, default_branch) values (7, 'r', 'main') returning id, version",
  )
  const { id } = repository[0]
  const added = await client.query(
    `insert into shelf (deployment_id, repository_id, label) values (7, ${id}, 'top') returning id`,
  )
  const shelf = added.rows[0].id
  await client.query(`insert into tag (deployment_id, name, shelf_id) values (7, 't', ${shelf})`)
  const { rows: labels } = await client.query(`select shelf_label(shelf_id) as label from tag where deployment_id = 7`)
  assert.deepEqual(labels, [{ label: 'top' }])
  const { rows: counted } = await client.query(`select version from repository where deployment_id = 7 and id = ${id}`)
  assert.equal(Number(counted[0].version), Number(repository[0].version) + 1)
  await client.query(`select create_service_account('a@b.service-account.invalid', 'a')`)
  await client.query('commit')
  await client.query('begin')
  await client.query("set local gatehouse.tenant = '8'")
  assert.deepEqual((await client.query('select label from shelf')).rows, [])
  await client.query('commit')
})
