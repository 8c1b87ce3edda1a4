import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import sql, { raw } from 'sql-template-tag'
import { systemActor } from '../src/kernel/access/actor.ts'
import { openGatehouse, type TestGatehouse } from './gatehouse.ts'

let gatehouse: TestGatehouse
let admin: pg.Client
let other: { id: number; as: string }
before(async () => {
  gatehouse = await openGatehouse()
  admin = new pg.Client(gatehouse.connection)
  await admin.connect()
  other = await gatehouse.addDeployment()
})
after(async () => {
  await admin.end()
  await gatehouse.close()
})

/** Table by table, what a role may do: with the whole of it, or with some columns. */
async function rightsOf(role: string): Promise<Record<string, string>> {
  const { rows } = await admin.query(
    `select c.relname as name, lower(acl.privilege_type) as right, null as columns
      from pg_class c, aclexplode(c.relacl) acl
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v')
        and acl.grantee in (0, $1::regrole::oid)
    union all
    select c.relname, lower(acl.privilege_type), string_agg(a.attname, ' ' order by a.attnum)
      from pg_class c join pg_attribute a on a.attrelid = c.oid, aclexplode(a.attacl) acl
      where c.relnamespace = 'public'::regnamespace and not a.attisdropped and acl.grantee in (0, $1::regrole::oid)
      group by c.relname, acl.privilege_type
    order by name, "right" desc`,
    [role],
  )
  const rights: Record<string, string> = {}
  for (const { name, right, columns } of rows) {
    const said = columns ? `${right} (${columns})` : right
    rights[name] = rights[name] ? `${rights[name]}, ${said}` : said
  }
  return rights
}

/** Across all deployments. What is in these lists, whoever gets hold of that role's connections sees of every tenant. */
const identityRights = {
  account_event: 'select, insert',
  api_token: 'update (last_used_at), select',
  code_host: 'select (deployment_id id)',
  data_key: 'update (wrapped), select, insert',
  deployment: 'select',
  failed_sign_in: 'update, select, insert, delete',
  invitation: 'select, delete',
  known_network: 'update, select, insert, delete',
  logout_token: 'select, insert, delete',
  master_key: 'update, select, insert',
  membership: 'select',
  passkey: 'update, select, insert, delete',
  passkey_challenge: 'select, insert, delete',
  password_reset: 'update, select, insert, delete',
  person: 'update, select, insert, delete',
  recovery_code: 'select, insert, delete',
  replica_proof: 'select, insert, delete',
  schema_fence: 'select',
  scm_app: 'select (deployment_id id webhook_secret_hash)',
  service_account: 'select (deployment_id person_id scopes)',
  session: 'update, select, insert, delete',
  sign_in_attempt: 'update, select, insert, delete',
  sign_in_flow: 'update, select, insert, delete',
  sign_in_identity: 'select, insert',
  sign_in_provider:
    'select (deployment_id id name issuer client_id domains listed instance_wide enforced break_glass_id)',
  signing_key: 'update, select, insert, delete',
  totp_factor: 'update, select, insert, delete',
  totp_setup: 'update, select, insert, delete',
}

const workerRights = {
  advisory: 'update, select, insert, delete',
  advisory_feed: 'update, select, insert, delete',
  advisory_state: 'update, select',
  audit_head: 'select (deployment_id seq)',
  audit_stream: 'select (deployment_id id active position failing_since retry_at)',
  automation_run: 'select (created_at), delete',
  dependency: 'select (deployment_id repository_id package_id package_version_id)',
  deployment: 'select (id)',
  epss_feed: 'update, select, insert, delete',
  epss_score: 'update, select, insert, delete',
  epss_state: 'update, select',
  exploited_feed: 'update, select, insert, delete',
  exploited_state: 'update, select',
  exploited_vulnerability: 'update, select, insert, delete',
  firewall_choice: 'select',
  firewall_deployment:
    'update (rules), select, insert (deployment_id rules exposure_revision contact four_eyes exception_settings_version exceptions_judged)',
  firewall_exception:
    'select (deployment_id id ecosystem name state decision_reason versions scope team_id expires_at lifts)',
  firewall_held:
    'select (deployment_id advisory_id ecosystem name state reason versions), insert (deployment_id advisory_id ecosystem name repository_count versions), delete',
  inventory_snapshot: 'select',
  firewall_rule_list: 'select (deployment_id watching rules)',
  firewall_override: 'select (deployment_id id ecosystem name version effect reason expires_at lapsed)',
  last_backup: 'select',
  outbox: 'update (run_at attempt leased_until dead_at error), select, delete',
  package: 'select (deployment_id id ecosystem name)',
  package_version: 'select (deployment_id id package_id version)',
  periodic_task: 'update, select, insert',
  schema_fence: 'select',
  team: 'select (deployment_id id parent_team_id)',
  team_member: 'select (deployment_id team_id person_id)',
  ticketing_instance: 'select (deployment_id id auth_revoked_at polled_at poll_asked_at connected)',
  vulnerability: 'update, select, insert, delete',
  vulnerability_deployment: 'select',
  vulnerability_feed: 'update, select, insert, delete',
  vulnerability_range: 'update, select, insert, delete',
  vulnerability_state: 'update, select',
}

/** Besides all of every table that is under row-level security by its deployment. */
const tenantRights = {
  account_event: 'select, delete',
  advisory: 'select',
  advisory_feed: 'select',
  advisory_state: 'select',
  audit_event: 'select',
  audit_anchor: 'select',
  audit_head: 'select',
  epss_feed: 'select',
  epss_score: 'select',
  epss_state: 'select',
  exploited_feed: 'select',
  exploited_state: 'select',
  exploited_vulnerability: 'select',
  person: 'select (id email name created_at last_sign_in_at is_service)',
  replica_proof: 'select',
  schema_fence: 'select',
  visible_repository: 'select',
  vulnerability: 'select',
  vulnerability_feed: 'select',
  vulnerability_range: 'select',
  vulnerability_state: 'select',
}

test('the roles that work across deployments may do exactly this', async () => {
  assert.deepEqual(await rightsOf('gatehouse_identity'), identityRights)
  assert.deepEqual(await rightsOf('gatehouse_worker'), workerRights)
})

test('no role that works across deployments reads a credential of a deployment, sealed or not', async () => {
  const { rows } = await admin.query(`select c.relname || '.' || a.attname as column, role.rolname as role
    from pg_attribute a join pg_class c on c.oid = a.attrelid, pg_roles role
    where a.atttypid = 'sealed_value'::regtype and c.relname not in ('signing_key', 'totp_factor', 'totp_setup')
      and role.rolname in ('gatehouse_identity', 'gatehouse_worker')
      and has_column_privilege(role.oid, c.oid, a.attnum, 'select')`)
  assert.deepEqual(rows, [])
})

test('the role of tenants may do this with what is not under the policy of a tenant', async () => {
  const { rows } = await admin.query(`select c.relname as name from pg_class c join pg_policy p on p.polrelid = c.oid
    where p.polname = 'tenant' and c.relrowsecurity and c.relforcerowsecurity`)
  const ofTenants = new Set(rows.map(({ name }) => name))
  const rights = Object.entries(await rightsOf('gatehouse_app'))
  const whole = 'update, select, insert, delete'
  assert.deepEqual(
    Object.fromEntries(rights.filter(([name, may]) => may !== whole || !ofTenants.has(name))),
    tenantRights,
  )
})

/** They act with the rights of the tables' owner, so who may call them is a right like any other. */
const powerful = {
  audit_append: ['gatehouse_app', 'gatehouse_identity', 'gatehouse_worker'],
  audit_forget: ['gatehouse_app'],
  audit_head_for_append: ['gatehouse_app', 'gatehouse_identity', 'gatehouse_worker'],
  claim_due_jobs: ['gatehouse_worker'],
  create_invited_account: ['gatehouse_app'],
  create_provider_account: ['gatehouse_app'],
  create_provisioned_account: ['gatehouse_app'],
  create_service_account: ['gatehouse_app'],
  has_second_factor: ['gatehouse_app'],
  remove_service_account: ['gatehouse_app'],
  session_stands: ['gatehouse_app'],
  still_seals: ['gatehouse_app'],
}

test('functions with the rights of their owner, and the queue, are called by exactly these', async () => {
  const { rows } = await admin.query(`select f.proname as name, array(select rolname::text from pg_roles role
      where rolname like 'gatehouse\\_%' and has_function_privilege(role.oid, f.oid, 'execute') order by 1) as roles,
      has_function_privilege('pg_monitor', f.oid, 'execute') as anybody
    from pg_proc f where f.pronamespace = 'public'::regnamespace and (f.prosecdef or f.proname = 'claim_due_jobs') order by 1`)
  assert.deepEqual(
    rows,
    Object.entries(powerful).map(([name, roles]) => ({ name, roles, anybody: false })),
  )
})

test('no role may become another, own, create or connect as more than it is', async () => {
  const { rows } = await admin.query(`select role.rolname as role,
      role.rolsuper or role.rolbypassrls or role.rolcreaterole or role.rolcreatedb or role.rolreplication as more,
      array(select g.rolname::text from pg_auth_members m join pg_roles g on g.oid = m.roleid
        where m.member = role.oid) as groups,
      has_schema_privilege(role.oid, 'public', 'create') as creates,
      array(select relname::text from pg_class where relowner = role.oid) as owns
    from pg_roles role where role.rolname like 'gatehouse\\_%' order by 1`)
  const nothing = { more: false, groups: [], creates: false, owns: [] }
  const roles = ['gatehouse_app', 'gatehouse_identity', 'gatehouse_worker']
  assert.deepEqual(
    rows,
    roles.map((role) => ({ role, ...nothing })),
  )
})

const actorIn = (deploymentId: number) => systemActor(deploymentId, 'test')

test('every connection works as its role, for a limited time, and readers change nothing', async () => {
  const asked = sql`select current_user as role, current_setting('statement_timeout') as statement,
    current_setting('idle_in_transaction_session_timeout') as idle, current_setting('transaction_read_only') as "readOnly"`
  const { db } = gatehouse
  const id = gatehouse.owner.deploymentId
  const found = {
    reader: (await db.as({ deploymentId: id }).query(asked))[0],
    writer: (await db.transaction(actorIn(id), (tx) => tx.query(asked)))[0],
    identity: (await db.identityQuery(asked))[0],
    identityTransaction: (await db.identity((tx) => tx.query(asked)))[0],
    worker: (await db.workerQuery(asked))[0],
  }
  const limits = { statement: '30s', idle: '1min' }
  assert.deepEqual(found, {
    reader: { role: 'gatehouse_app', ...limits, readOnly: 'on' },
    writer: { role: 'gatehouse_app', ...limits, readOnly: 'off' },
    identity: { role: 'gatehouse_identity', ...limits, readOnly: 'off' },
    identityTransaction: { role: 'gatehouse_identity', ...limits, readOnly: 'off' },
    worker: { role: 'gatehouse_worker', ...limits, readOnly: 'off' },
  })
  const write = sql`insert into tag (deployment_id, name) values (${id}, 'by a reader')`
  await assert.rejects(db.as({ deploymentId: id }).query(write), /read-only transaction/)
})

test('a view shows a tenant its own rows alone', async () => {
  for (const id of [gatehouse.owner.deploymentId, other.id]) {
    await admin.query(
      `with repository as (insert into repository (deployment_id, name, default_branch) values ($1, 'seen', 'main')
        returning id), team as (insert into team (deployment_id, name, slug, level) values ($1, 'Seeing', 'seeing', 1)
        returning id), member as (insert into team_member (deployment_id, team_id, person_id, role)
        select $1, team.id, membership.person_id, 'TEAM_ROLE_MEMBER' from team, membership where deployment_id = $1 limit 1)
      insert into team_repository select $1, team.id, repository.id from team, repository`,
      [id],
    )
  }
  const seen = sql`select distinct deployment_id as id from visible_repository order by 1`
  const all = await admin.query(seen)
  assert.deepEqual(
    all.rows.map(({ id }) => Number(id)),
    [gatehouse.owner.deploymentId, other.id],
  )
  assert.deepEqual(await gatehouse.db.as({ deploymentId: other.id }).query(seen), [{ id: other.id }])
})

test('jobs are handed out to workers alone', async () => {
  const claim = sql`select from claim_due_jobs(array['a'], 1, 1, interval '1 minute', 0, '{}')`
  const refusal = /permission denied for function claim_due_jobs/
  await assert.rejects(
    gatehouse.db.transaction(actorIn(other.id), (tx) => tx.query(claim)),
    refusal,
  )
  await assert.rejects(gatehouse.db.identityQuery(claim), refusal)
  assert.deepEqual(await gatehouse.db.workerQuery(claim), [])
})

test('the worker adds a first row for a deployment with nothing of its own in it but the count of rules', async () => {
  const add = (columns: string, values: string) =>
    gatehouse.db.workerQuery(
      sql`insert into firewall_deployment (deployment_id, rules${raw(columns)}) values (${other.id}, 1${raw(values)})
        on conflict (deployment_id) do update set rules = firewall_deployment.rules + 1`,
    )
  const refusal = /violates row-level security policy/
  await assert.rejects(add(', contact', ", 'mallory@example.com'"), refusal)
  await assert.rejects(add(', four_eyes', ', true'), refusal)
  await assert.rejects(add(', exposure_revision', ', 7'), refusal)
  await assert.rejects(add(', exception_settings_version', ', 7'), refusal)
  await assert.rejects(add(', exceptions_judged', ", 'x'"), refusal)
  await add(', contact, four_eyes, exposure_revision', ", '', false, 0")
})
