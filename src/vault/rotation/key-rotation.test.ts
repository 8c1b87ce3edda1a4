import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import sql from 'sql-template-tag'
import { often } from '../../../test/depth.ts'
import { openGatehouse } from '../../../test/gatehouse.ts'
import { databaseUrl, poll, root, startProcess } from '../../../test/servers/real-process.ts'
import type { SealedValue } from '../key-ring.ts'
import { createKeyRotation } from './key-rotation.ts'
import { type Rows, reEncrypt } from './re-encrypt.ts'
import { type SealedColumn, sealedColumns, sealedFieldOf } from './sealed-columns.ts'

const gatehouse = await openGatehouse()
const admin = new pg.Client(gatehouse.connection)
await admin.connect()
after(async () => {
  await admin.end()
  await gatehouse.close()
})

const column = sealedColumns.packageManagerCredentials
const keeper = createKeyRotation(gatehouse, 'a test')
const env = {
  DATABASE_URL: databaseUrl(gatehouse.connection as Parameters<typeof databaseUrl>[0]),
  GATEHOUSE_KEY: gatehouse.masterKey.toString('base64'),
}

function keys(...args: string[]) {
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', `${root}/src/main.ts`]
  return startProcess(env, [...node, 'keys', ...args])
}

async function ended(...args: string[]): Promise<string> {
  const run = keys(...args)
  assert.equal(await run.ended, 0, run.log() + run.output())
  return run.output()
}

const pathIn = (deployment: number) => `/api/agent/deployments/${deployment}/packagemanagerauthconfigs`
const bodyWith = (token: string) => ({
  packageManagerConfigForInsert: {
    config: { name: token, url: 'https://r.example.com', ecosystem: 'npm' },
    npm: { token },
  },
})

/** Many rows at once, sealed as the product seals them. */
async function fill(deployment: number, count: number): Promise<number[]> {
  const { rows } = await admin.query(
    `insert into package_manager_config (deployment_id, name, url, registry_type, ecosystem, requires_auth,
      use_network_broker, maven_repository_type)
    select $1, 'Filled ' || n, 'https://r.example.com', 'REGISTRY_TYPE_PACKAGE_MANAGER_AUTH', 'npm', true, false,
      'MAVEN_REPOSITORY_TYPE_UNSPECIFIED' from generate_series(1, $2) n returning id::int`,
    [deployment, count],
  )
  const ids = rows.map(({ id }) => id as number).sort((a, b) => a - b)
  const loaded = await gatehouse.ring.load(String(deployment))
  const values = ids.map((id) => JSON.stringify(loaded.seal(Buffer.from(plaintextOf(id)), sealedFieldOf(column, id))))
  await admin.query(
    `update package_manager_config held set credentials = fresh.value::jsonb, credentials_kind = 'npm'
    from unnest($1::bigint[], $2::text[]) as fresh (id, value) where held.id = fresh.id`,
    [ids, values],
  )
  return ids
}

const plaintextOf = (id: number) => JSON.stringify({ npm: { token: `token ${id}` } })

type Stored = { id: number; name: string; credentials: SealedValue }

async function stored(deployment: number): Promise<Stored[]> {
  const { rows } = await admin.query(
    'select id::int, name, credentials from package_manager_config where deployment_id = $1 order by id',
    [deployment],
  )
  return rows
}

const open = (deployment: number, { id, credentials }: Stored) =>
  gatehouse.ring.open(String(deployment), credentials, sealedFieldOf(column, id)).then(String)
const versionsOf = (rows: Stored[]) => [...new Set(rows.map((row) => row.credentials.keyVersion))].sort()

test('every column for sealed values is known to the rotation, under the id that it is sealed for', async () => {
  const { rows } =
    await admin.query(`select c.relname as table, a.attname as column, i.atttypid::regtype::text as "idType",
      exists (select 1 from pg_attribute d where d.attrelid = c.oid and d.attname = 'deployment_id') as tenant
    from pg_attribute a join pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'p')
    left join pg_attribute i on i.attrelid = c.oid and i.attname = 'id'
    where a.atttypid = 'sealed_value'::regtype and not a.attisdropped and not c.relispartition order by 1, 2`)
  const known = Object.values<SealedColumn>(sealedColumns).map(({ table, column, idType, scope }) => ({
    table,
    column,
    idType,
    tenant: scope === 'deployment',
  }))
  const name = (one: { table: string; column: string }) => `${one.table}.${one.column}`
  assert.deepEqual(
    rows,
    known.sort((a, b) => (name(a) < name(b) ? -1 : 1)),
  )
})

const rounds = often(2, 5)

test('a rotation during traffic fails no request and leaves nothing behind on an older key', async () => {
  const { id, as } = await gatehouse.addDeployment()
  await fill(id, 500)
  const slow = await gatehouse.anotherProcess()
  let running = true
  let answered = 0
  const expected = new Map<number, string>()
  const lane = async (_: unknown, lane: number) => {
    const call = lane % 2 === 0 ? gatehouse.call : slow.call
    const mine: number[] = []
    for (let number = 0; running; number++) {
      const token = `lane ${lane} number ${number}`
      const again = mine[number % 5]
      const [method, path] = again && number % 2 ? ['PATCH', `${pathIn(id)}/${again}`] : ['POST', pathIn(id)]
      const answer = await call(method!, path!, { as, body: bodyWith(token) })
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      const config = answer.body.packageManagerConfig
      expected.set(config.id, JSON.stringify({ npm: { token } }))
      if (method === 'POST') mine.push(config.id)
      if (number % 10 === 0) assert.equal((await call('GET', pathIn(id), { as })).status, 200)
      answered++
    }
  }
  const traffic = Array.from({ length: 8 }, lane)
  // A lane that fails ends the others too.
  const failing = Promise.all(traffic)
  const rotations: string[] = []
  const before = versionsOf(await stored(id))
  try {
    for (let round = 0; round < rounds; round++) {
      const since = answered
      await Promise.race([failing, poll('requests are answered', () => answered > since + 20)])
      rotations.push((await keeper.rotateDeployment(id)).keyVersion)
      // Also what was under way when it ended is on the new key.
      const versions = versionsOf(await stored(id))
      assert.deepEqual(versions, [rotations.at(-1)])
    }
  } finally {
    running = false
    await Promise.allSettled(traffic)
    await slow.close()
  }
  await failing
  const versions = Array.from({ length: rounds + 1 }, (_, round) => String(round + 1))
  assert.deepEqual([...before, ...rotations], versions)
  const rows = await stored(id)
  assert.deepEqual(versionsOf(rows), versions.slice(-1))
  for (const row of rows) assert.equal(await open(id, row), expected.get(row.id) ?? plaintextOf(row.id))
})

test('a rotation waits for writes with the key so far, so that it finds them', async () => {
  const { id, as } = await gatehouse.addDeployment()
  await gatehouse.call('POST', pathIn(id), { as, body: bodyWith('first') })
  // The write sealed its secret, and cannot insert its row before we let go of the id it will take.
  await admin.query('begin')
  const next = await admin.query('select last_value + 1 as id from package_manager_config_id_seq')
  await admin.query(
    `insert into package_manager_config (deployment_id, id, name, url, registry_type, ecosystem, requires_auth,
      use_network_broker, maven_repository_type) select deployment_id, $2, name, url, registry_type, ecosystem, false,
      use_network_broker, maven_repository_type from package_manager_config where deployment_id = $1`,
    [id, next.rows[0].id],
  )
  const request = { as, body: bodyWith('second'), headers: { 'idempotency-key': 'once' } }
  const writing = gatehouse.call('POST', pathIn(id), request)
  await poll('the write waits', async () => (await waiting()) > 0)
  let rotated = false
  const rotating = keeper.rotateDeployment(id).finally(() => (rotated = true))
  await poll('the rotation waits, or does not care', async () => rotated || (await waiting()) > 1)
  await admin.query('rollback')
  const [answer] = await Promise.all([writing, rotating])
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  assert.equal((await stored(id)).length, 2)
  assert.deepEqual(versionsOf(await stored(id)), ['2'])
})

test('a write that was sealed before a rotation and comes after it is sealed again, once', async () => {
  const { id, as } = await gatehouse.addDeployment()
  const sealing = gatehouse.ring.seal
  let rotated = false
  try {
    gatehouse.ring.seal = async (...args) => {
      const sealed = await sealing(...args)
      if (!rotated) {
        rotated = true
        await keeper.rotateDeployment(id)
      }
      return sealed
    }
    const late = { as, body: bodyWith('late'), headers: { 'idempotency-key': 'late' } }
    const answer = await gatehouse.call('POST', pathIn(id), late)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    assert.deepEqual((await gatehouse.call('POST', pathIn(id), late)).body, answer.body)
  } finally {
    gatehouse.ring.seal = sealing
  }
  assert.deepEqual(versionsOf(await stored(id)), ['2'])
  assert.equal((await stored(id)).length, 1)
})

const kills = often(2, 20)

test(`killed midway ${kills} times, the rotation still ends whole`, async (t) => {
  const { id } = await gatehouse.addDeployment()
  const ids = await fill(id, (kills + 2) * 100)
  let moved = 0
  for (let round = 0; round < kills; round++) {
    // It comes as far as this row, in the middle of a batch, and is killed waiting for it.
    const inTheWay = ids[(round + 1) * 105]
    await admin.query('begin')
    await admin.query('select from package_manager_config where id = $1 for update', [inTheWay])
    const run = keys('rotate', '--deployment', String(id))
    t.after(() => run.child.kill('SIGKILL'))
    await poll('it is midway', async () => (await waitingForUs()) > 0 || run.child.exitCode !== null)
    assert.equal(run.child.exitCode, null, run.log())
    run.child.kill('SIGKILL')
    assert.equal(await run.ended, 'SIGKILL')
    await admin.query('rollback')
    const rows = await stored(id)
    const there = rows.filter((row) => row.credentials.keyVersion === '2').length
    assert.ok(there > moved && there < ids.length, `${there} of ${ids.length}, before ${moved}`)
    moved = there
    for (const row of rows.filter((_, index) => index % 100 === round))
      assert.equal(await open(id, row), plaintextOf(row.id))
  }
  const { rotations } = JSON.parse(await ended('rotate', '--deployment', String(id), '--json'))
  assert.deepEqual(rotations, [
    { scope: String(id), keyVersion: '2', moved: ids.length - moved, unreadable: [], resumed: true },
  ])
  const rows = await stored(id)
  assert.deepEqual(versionsOf(rows), ['2'])
  for (const row of rows) assert.equal(await open(id, row), plaintextOf(row.id))
})

test('rotations that meet end together, on one newest key', async () => {
  const { id } = await gatehouse.addDeployment()
  await fill(id, 1_000)
  await Promise.all([1, 2, 3].map(() => keeper.rotateDeployment(id)))
  const rows = await stored(id)
  assert.deepEqual(versionsOf(rows), [await gatehouse.ring.currentVersion(String(id))])
  for (const row of rows) assert.equal(await open(id, row), plaintextOf(row.id))
})

test('a rotation that another has overtaken takes nothing back', async () => {
  const { id } = await gatehouse.addDeployment()
  await fill(id, 5)
  const behind = await gatehouse.ring.load(String(id))
  await keeper.rotateDeployment(id)
  const before = await stored(id)
  const actor = {
    deploymentId: id,
    personId: 0,
    tokenId: 0,
    role: 'owner',
    permissions: new Set(),
    requestId: 'x',
  } as const
  const rows: Rows = { deploymentId: id, transaction: (work) => gatehouse.db.transaction(actor as never, work) }
  assert.deepEqual(await reEncrypt(rows, column, behind), { moved: 0, unreadable: [] })
  assert.deepEqual(await stored(id), before)
})

test('a value that cannot be opened is named and left alone, and stops nothing', async () => {
  const { id } = await gatehouse.addDeployment()
  const ids = await fill(id, 250)
  const [lost, other] = [ids[3]!, ids[4]!]
  const put = (credentials: SealedValue) =>
    admin.query('update package_manager_config set credentials = $1 where id = $2', [credentials, lost])
  const before = await stored(id)
  const credentialsOf = (of: number) => before.find((row) => row.id === of)!.credentials
  await put(credentialsOf(other))
  for (const keyVersion of ['2', '3']) {
    const run = keys('rotate', '--deployment', String(id), '--json')
    assert.equal(await run.ended, 1)
    const unreadable = [`package_manager_config ${lost}`]
    assert.deepEqual(JSON.parse(run.output()).rotations, [
      { scope: String(id), keyVersion, moved: 249, unreadable, resumed: false },
    ])
  }
  const rows = await stored(id)
  assert.deepEqual(rows.find((row) => row.id === lost)!.credentials, credentialsOf(other))
  assert.deepEqual(versionsOf(rows), ['1', '3'])
  await put(credentialsOf(lost))
})

test('all keys: every deployment and the instance, and who is signed in stays so', async () => {
  const { id, as } = await gatehouse.addDeployment()
  await fill(id, 3)
  const { rotations } = JSON.parse(await ended('rotate', '--json'))
  const deployments = await gatehouse.db.identityQuery<{ id: number }>(sql`select id from deployment order by id`)
  const scopes = rotations.map(({ scope }: { scope: string }) => scope)
  assert.deepEqual(scopes, ['instance', ...deployments.map((one) => String(one.id))])
  assert.equal(rotations[0].moved, 1)
  const { rows } = await admin.query(`select distinct sealed_private_key ->> 'keyVersion' as version from signing_key`)
  assert.deepEqual(rows, [{ version: '2' }])
  const fresh = await gatehouse.anotherProcess()
  assert.equal((await fresh.call('GET', '/api/tokens/v1/self', { as: gatehouse.owner.jwt })).status, 200)
  const login = { email: gatehouse.owner.email, password: gatehouse.owner.password }
  assert.equal((await fresh.call('POST', '/api/auth/login', { as: '', body: login })).status, 200)
  await fresh.close()
  const told = await ended('rotate', '--deployment', String(id))
  assert.match(told, new RegExp(`^The keys of deployment ${id} are at version \\d+; 3 secrets were re-encrypted.`))
  const events = (await gatehouse.call('GET', `/api/audit/v1/deployments/${id}/events`, { as })).body.events
  const rotated = events.find((event: { action: string }) => event.action === 'keys.rotate')
  assert.match(rotated.detail.by, /on the command line$/)
  assert.equal(rotated.detail.moved, 3)
})

test('exported keys open what E2 returns, and the audit log says who has them', async () => {
  const { id, as } = await gatehouse.addDeployment()
  await gatehouse.call('POST', pathIn(id), { as, body: bodyWith('exported') })
  await keeper.rotateDeployment(id)
  const exported = JSON.parse(await ended('export', '--deployment', String(id)))
  assert.deepEqual([exported.scope, exported.currentVersion], [String(id), '2'])
  assert.deepEqual(exported, await gatehouse.ring.export(String(id)))
  const events = (await gatehouse.call('GET', `/api/audit/v1/deployments/${id}/events`, { as })).body.events
  const [event] = events
  assert.equal(event.action, 'keys.export')
  assert.deepEqual(event.detail.versions, ['1', '2'])
  assert.ok(!JSON.stringify(events).includes(exported.keys[0]!.key))
})

test('a deployment that does not exist has no keys, and gets none by asking', async () => {
  for (const args of [['rotate'], ['export']]) {
    const run = keys(...args, '--deployment', '987654')
    assert.equal(await run.ended, 1)
    assert.match(run.log(), /There is no deployment 987654/)
    assert.equal(run.output(), '')
  }
  const { rows } = await admin.query(`select from data_key where scope = '987654'`)
  assert.deepEqual(rows, [])
  const both = keys('rotate', '--all', '--deployment', '1')
  assert.equal(await both.ended, 2)
  assert.match(both.log(), /cannot be used with/)
})

/** How many sessions of this database wait for a lock. */
async function waiting(): Promise<number> {
  const { rows } = await admin.query(`select count(distinct pid)::int as count from pg_locks
    where not granted and (database is null or database = (select oid from pg_database where datname = current_database()))`)
  return rows[0].count
}

/** Not for the session of one that was killed before, which PostgreSQL may take a moment to end. */
async function waitingForUs(): Promise<number> {
  const { rows } = await admin.query(
    'select count(*)::int as count from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))',
  )
  return rows[0].count
}
