import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import sql from 'sql-template-tag'
import { runDoctorChecks } from '../src/cli/doctor/doctor-checks.ts'
import { type ReplicaUse, systemActor } from '../src/kernel/access/actor.ts'
import { prepareReplica } from '../src/kernel/database/connections/prepared-query.ts'
import { migrate } from '../src/kernel/database/migrations/migrate.ts'
import { createReplicaWatch } from '../src/kernel/database/replica/replica-watch.ts'
import { readSettings } from '../src/settings/settings.ts'
import { openGatehouse, type TestGatehouse } from './gatehouse.ts'
import { openPrimary, openStandby, type Server } from './outside/standby.ts'
import { poll } from './servers/real-process.ts'

const cleaning: (() => Promise<void>)[] = []
const later = { after: (clean: () => Promise<void>) => void cleaning.push(clean) }

let primary: Server
let standby: Server
let gatehouse: TestGatehouse
let other: Awaited<ReturnType<TestGatehouse['anotherProcess']>>
const repositories = () => `/api/repositories/v1/deployments/${gatehouse.owner.deploymentId}/repositories`
const replica = () => gatehouse.db.replica!
/** As a request that only reads. */
const reading = (deploymentId = gatehouse.owner.deploymentId) => gatehouse.db.as({ deploymentId, replica: {} })
const isFromReplica = async (from = reading()) => {
  const [row] = await from.query<{ standby: boolean }>(sql`select pg_is_in_recovery() as standby`)
  return row!.standby
}
const used = () => poll('it is read from', () => isFromReplica())

before(async () => {
  primary = await openPrimary(later)
  // The replica has the schema before this one when Gatehouse starts.
  await migrate(primary.connection)
  await primary.ask(
    `drop table replica_proof; drop function refuse_stale; delete from schema_migration where name like '0102%'`,
  )
  standby = await openStandby(later, primary)
  await standby.ask('select pg_wal_replay_pause()')
  await migrate(primary.connection)
  const env = { DATABASE_URL: primary.url, GATEHOUSE_READ_DATABASE_URL: standby.url, GATEHOUSE_NEW_PEOPLE_SEE: 'teams' }
  gatehouse = await openGatehouse({ connection: primary.connection, env })
  other = await gatehouse.anotherProcess()
})
after(async () => {
  await other?.close()
  await gatehouse?.close()
  for (const clean of cleaning) await clean()
})

/** While nothing gets to be seen on the replica. */
async function whilePaused(work: () => Promise<void>): Promise<void> {
  await used()
  await standby.ask('select pg_wal_replay_pause()')
  await poll('it is paused', async () => {
    const [row] = await standby.ask('select pg_get_wal_replay_pause_state() as state')
    return row!.state === 'paused'
  })
  try {
    await work()
  } finally {
    await standby.ask('select pg_wal_replay_resume()')
  }
}

async function namesSeen(by = gatehouse.call, as?: string): Promise<string[]> {
  const answer = await by('GET', `${repositories()}?pageSize=100`, as === undefined ? {} : { as })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.repositories.map(({ name }: { name: string }) => name)
}

async function makeRepository(name: string, by = gatehouse.call): Promise<string> {
  const answer = await by('POST', repositories(), { body: { name } })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.repository.id
}

test('a replica with an older schema is not read from; when it has caught up it is', async () => {
  await replica().lookedAt()
  const { usable, detail } = replica().state()
  const isRead = await isFromReplica()
  await standby.ask('select pg_wal_replay_resume()')
  assert.deepEqual([usable, detail, isRead], [false, 'its schema is older than this version of Gatehouse', false])
  await used()
  assert.equal(replica().state().detail, 'it follows')
})

test('what was written is seen by every read after it, through every process, and most come from the replica', async () => {
  await used()
  const before = replica().figures().reads.replica
  for (let n = 0; n < 20; n++) {
    const [writing, looking] = n % 2 === 0 ? [gatehouse.call, other.call] : [other.call, gatehouse.call]
    await makeRepository(`seen-${n}`, writing)
    assert.ok((await namesSeen(looking)).includes(`seen-${n}`), `seen-${n} is missing`)
    assert.ok((await namesSeen(writing)).includes(`seen-${n}`), `seen-${n} is missing where it was written`)
  }
  assert.ok(replica().figures().reads.replica > before)
})

test('while the replica is held up, what was written is seen all the same', async () => {
  await whilePaused(async () => {
    const before = replica().figures().fallbacks.behind
    await makeRepository('held-up')
    assert.ok((await namesSeen()).includes('held-up'))
    assert.ok((await namesSeen(other.call)).includes('held-up'))
    assert.ok(replica().figures().fallbacks.behind > before)
    await poll('it is known to be behind', () => !replica().state().usable)
    assert.match(replica().state().detail, /^it is \d+ seconds behind$/)
    assert.ok(replica().state().lagBytes > 0)
  })
  await used()
  assert.ok((await namesSeen()).includes('held-up'))
})

test('who may see what is never old: teams, roles, tokens, suspension', async () => {
  const { deploymentId } = gatehouse.owner
  const repositoryId = await makeRepository('hidden')
  const [member, reader, suspended] = [
    await gatehouse.addPerson('member'),
    await gatehouse.addPerson('admin'),
    await gatehouse.addPerson('member'),
  ]
  const teams = `/api/permissions/v2/deployments/${deploymentId}/teams`
  const made = await gatehouse.call('POST', teams, { body: { team: { name: 'Those' } } })
  const setTeam = async (team: object) => {
    const answer = await gatehouse.call('PATCH', `${teams}/${made.body.team.id}`, { body: { team } })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  }
  await setTeam({ repositories: [{ repositoryId }], users: [{ userId: member.id }] })
  assert.deepEqual(await namesSeen(gatehouse.call, member.token), ['hidden'])
  const token = await gatehouse.makeToken(gatehouse.owner.jwt, deploymentId, { name: 'lost' })
  await whilePaused(async () => {
    await setTeam({ users: [] })
    assert.deepEqual(await namesSeen(gatehouse.call, member.token), [])
    assert.deepEqual(await namesSeen(other.call, member.token), [])
    await primary.ask(`update membership set role = 'readonly' where person_id = ${reader.id}`)
    await primary.ask(`update membership set suspended_at = now() where person_id = ${suspended.id}`)
    await primary.ask(`update api_token set revoked_at = now() where name = 'lost'`)
    const status = async (as: string, path = repositories()) => (await other.call('GET', path, { as })).status
    const accounts = `/api/service-accounts/v1/deployments/${deploymentId}/service-accounts`
    await poll('the token does not count', async () => (await status(token)) === 401)
    await poll('the suspended do not get in', async () => (await status(suspended.token)) === 401)
    await poll('the role has gone', async () => (await status(reader.token, accounts)) === 403)
  })
})

test('deployments are kept apart on the replica, by PostgreSQL itself', async () => {
  const second = await gatehouse.addDeployment()
  await used()
  const all = sql`select deployment_id, name, pg_is_in_recovery() as standby, current_user as role,
    current_setting('transaction_read_only') as "readOnly", current_setting('statement_timeout') as "timeOut" from repository`
  const theirs = reading(second.id)
  const ours = await fromReplica(() => reading().query<Record<string, unknown>>(all))
  for (const row of ours) assert.equal(row.deployment_id, gatehouse.owner.deploymentId)
  const { standby: isStandby, role, readOnly, timeOut } = ours[0]!
  assert.deepEqual(
    { isStandby, role, readOnly, timeOut },
    { isStandby: true, role: 'gatehouse_app', readOnly: 'on', timeOut: '30s' },
  )
  assert.deepEqual(await theirs.query(all), [])
  assert.deepEqual(
    (await gatehouse.call('GET', repositories().replace(/\d+\/rep/, `${second.id}/rep`), { as: second.as })).body
      .repositories,
    [],
  )
})

/** Rows that are of the replica: another answer is from the primary, because the replica was a moment behind. */
async function fromReplica<Row extends Record<string, unknown>>(ask: () => Promise<Row[]>): Promise<Row[]> {
  let rows: Row[] = []
  await poll('it is from the replica', async () => {
    rows = await ask()
    return rows[0]?.standby === true
  })
  return rows
}

test('a request that wrote, or was led to the primary once, reads there from then on', async () => {
  await used()
  const actor = { ...systemActor(gatehouse.owner.deploymentId, 'test'), replica: {} }
  await gatehouse.db.transaction(actor, (tx) => tx.query(sql`select 1`))
  assert.equal(await isFromReplica(gatehouse.db.as(actor)), false)
  const led = reading()
  await whilePaused(async () => {
    await makeRepository('meanwhile')
    assert.equal(await isFromReplica(led), false)
  })
  await used()
  assert.equal(await isFromReplica(led), false)
})

test('a request that goes on for long has to be shown what was written meanwhile', async () => {
  await used()
  let use: ReplicaUse = {}
  const long = () => gatehouse.db.as({ deploymentId: gatehouse.owner.deploymentId, replica: use })
  await poll('it begins on the replica', () => {
    use = {}
    return isFromReplica(long())
  })
  await whilePaused(async () => {
    assert.ok(use.askedAt)
    use.askedAt -= 60_000
    const id = await makeRepository('later')
    assert.equal((await long().query(sql`select from repository where id = ${id}`)).length, 1)
  })
})

test('what is no replica of this database is refused', async (t) => {
  const elsewhere = await openPrimary(t)
  await migrate(elsewhere.connection)
  const copy = await openStandby(t, elsewhere)
  const proofs = { position: async () => ({ lsn: 0, timeline: '00000001' }), prove: proof }
  for (const [url, said] of [
    [copy.url, /what was written to the primary does not get there/],
    [primary.url, /leads to a server that is no standby/],
    [standby.url.replace(/gatehouse\?/, 'postgres?'), /older|not safe|does not get there/],
  ] as const) {
    const watch = createReplicaWatch({ connectionString: url }, proofs)
    await watch.lookedAt()
    assert.throws(() => watch.check(), said)
    assert.match(watch.state().detail, said)
    await watch.close()
  }
})

/** A mark on the primary. */
async function proof() {
  const [row] = await primary.ask('insert into replica_proof (id) values (gen_random_uuid()) returning id')
  return { id: String(row!.id), timeline: '00000001' }
}

test('a primary that was replaced, and an address that leads to several servers, are noticed', async (t) => {
  let timeline = '00000001'
  const watched = { position: async () => ({ lsn: 0, timeline }), prove: proof }
  const watch = createReplicaWatch({ connectionString: standby.url }, watched)
  t.after(() => watch.close())
  await watch.lookedAt()
  watch.check()
  const second = await openStandby(t, primary)
  const client = new pg.Client({ connectionString: second.url })
  await client.connect()
  await assert.rejects(watch.verify(client), /its address leads to several servers/)
  assert.throws(() => watch.check(), /several servers/)
  await client.end()
  await poll('it is tried again', () => watch.state().usable)
  timeline = '00000002'
  assert.throws(() => watch.serverOn(timeline), /the primary was replaced/)
  assert.equal(watch.state().usable, false)
})

test('the doctor and the metrics tell of it', async () => {
  await used()
  const env = {
    DATABASE_URL: primary.url,
    GATEHOUSE_READ_DATABASE_URL: standby.url,
    GATEHOUSE_DATA: gatehouse.dataFolder,
    GATEHOUSE_KEY: gatehouse.masterKey.toString('base64'),
  }
  const found = await runDoctorChecks(readSettings(env))
  assert.deepEqual(
    found.filter(({ part }) => part === 'replica'),
    [{ part: 'replica', state: 'ok', detail: 'verified; it follows' }],
  )
  const { body } = await gatehouse.call('GET', '/metrics', { as: gatehouse.owner.jwt })
  for (const line of [
    /^gatehouse_replica_usable 1$/m,
    /^gatehouse_replica_lag_seconds [0-9.e-]+$/m,
    /^gatehouse_replica_lag_bytes \d+$/m,
    /^gatehouse_replica_reads_total\{from="replica"\} [1-9]/m,
    /^gatehouse_replica_fallbacks_total\{reason="behind"\} [1-9]/m,
    /^gatehouse_database_pool_size\{pool="replica"\} [1-9]/m,
  ])
    assert.match(body, line)
  const status = await gatehouse.call('GET', '/api/system/v1/status', { as: gatehouse.owner.jwt })
  assert.ok(JSON.stringify(status.body).includes('verified; it follows'))
})

test('a replica that goes away is not missed, and is read from when it is back', async () => {
  await used()
  let stopping = true
  const asking = (async () => {
    while (stopping) await namesSeen()
  })()
  await standby.stop()
  await poll('it is left', () => !replica().state().usable)
  await makeRepository('without')
  assert.ok((await namesSeen()).includes('without'))
  stopping = false
  await asking
  await standby.start()
  await used()
})

test('a replica that is promoted is left: what is written there is never shown', async () => {
  await used()
  await standby.ask('select pg_promote()')
  await standby.ask(`update repository set name = 'of-another-history' where name = 'hidden'`)
  for (let n = 0; n < 20; n++) assert.ok(!(await namesSeen()).includes('of-another-history'))
  await poll('it is left', () => !replica().state().usable)
  await poll('it is told why', () => /no standby/.test(replica().state().detail))
  assert.ok((await namesSeen()).includes('hidden'))
  const client = new pg.Client(standby.connection)
  await client.connect()
  await assert.rejects(prepareReplica(client), { code: 'GH002' })
  await client.end()
})
