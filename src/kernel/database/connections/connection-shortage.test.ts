import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import pg from 'pg'
import sql from 'sql-template-tag'
import { throwAwayDatabase } from '../../../../test/cluster.ts'
import { plainVault } from '../../../../test/plain-vault.ts'
import { poll } from '../../../../test/servers/real-process.ts'
import { systemActor } from '../../access/actor.ts'
import { Fault } from '../../contract/fault.ts'
import { createDatabase } from '../database.ts'
import { roleNames } from './connection.ts'
import { acquire } from './connection-shortage.ts'
import { shareConnections } from './pool-sizes.ts'

let database: Awaited<ReturnType<typeof throwAwayDatabase>>
let admin: pg.Client
const login = `scarce_${randomBytes(6).toString('hex')}`
before(async () => {
  database = await throwAwayDatabase()
  admin = new pg.Client(database.connection)
  await admin.connect()
  const roles = Object.values(roleNames).join()
  await admin.query(`create role ${login} login password '${login}' connection limit 6 in role ${roles}`)
  await admin.query(`insert into deployment (id, name, slug) values (1, 'One', 'one')`)
})
after(async () => {
  await admin.query(`drop role ${login}`)
  await admin.end()
  await database.drop()
})

test('where the server has fewer connections than the pools would take, work waits for those there are', async () => {
  const db = createDatabase({ ...database.connection, user: login, password: login }, plainVault)
  try {
    // Each kind of work has one, as in a process that has begun.
    await db.identityQuery(sql`select 1`)
    await db.workerQuery(sql`select 1`)
    const slow = sql`select pg_sleep(0.02)`
    const work = Array.from({ length: 40 }, () => [
      db.as({ deploymentId: 1 }).query(slow),
      db.transaction(systemActor(1, 'test'), (tx) => tx.query(slow)),
      db.identityQuery(slow),
      db.worker((tx) => tx.query(slow)),
    ])
    const done = await Promise.allSettled(work.flat())
    assert.deepEqual(
      done.filter(({ status }) => status === 'rejected'),
      [],
    )
    const { rows } = await admin.query('select count(*)::int as number from pg_stat_activity where usename = $1', [
      login,
    ])
    assert.ok(rows[0].number > 0 && rows[0].number <= 6)
  } finally {
    await db.close()
  }
})

test('whoever waits for a connection that the server does not give is counted', async () => {
  const db = createDatabase({ ...database.connection, user: login, password: login }, plainVault)
  const waiting = () => [db.load().pools.writers.waiting, db.load().pools.identity.waiting]
  const held = Promise.withResolvers<void>()
  try {
    let begun = 0
    const hold = () => {
      begun++
      return held.promise
    }
    const first = db.transaction(systemActor(1, 'test'), hold)
    const another = db.identity(hold)
    await poll('both have a connection', () => begun === 2)
    await admin.query(`alter role ${login} connection limit 0`)
    const second = db.transaction(systemActor(1, 'test'), async () => {})
    const other = db.identityQuery(sql`select 1`)
    await poll('they wait', () => waiting().every((count) => count === 1), 20_000)
    held.resolve()
    await Promise.all([first, another, second, other])
    assert.deepEqual(waiting(), [0, 0])
  } finally {
    held.resolve()
    await admin.query(`alter role ${login} connection limit 6`)
    await db.close()
  }
})

test('a server that lets nobody in any more is away, for every kind of work, until it does again', async () => {
  const db = createDatabase({ ...database.connection, user: login, password: login }, plainVault)
  const one = sql`select 1`
  const works = [
    () => db.as({ deploymentId: 1 }).query(one),
    () => db.transaction(systemActor(1, 'test'), (tx) => tx.query(one)),
    () => db.identityQuery(one),
    () => db.worker((tx) => tx.query(one)),
  ]
  try {
    await admin.query(`alter role ${login} password 'changed'`)
    for (const work of works) {
      await assert.rejects(work, (error) => {
        return error instanceof Fault && error.code === 'unavailable' && /password/.test((error.cause as Error).message)
      })
    }
    await admin.query(`alter role ${login} password '${login}'`)
    for (const work of works) await work()
  } finally {
    await admin.query(`alter role ${login} password '${login}'`)
    await db.close()
  }
})

test('it waits for one that is busy for longer than a pool waits, and than it makes do', async () => {
  await admin.query(`alter role ${login} connection limit 1`)
  const to = { ...database.connection, user: login, password: login } as pg.PoolConfig
  // As in a process, where a pool makes do for two seconds, and gives up whoever waits after three.
  const pool = new pg.Pool({ ...to, max: 2, connectionTimeoutMillis: 1_000 })
  const take = () => acquire(pool, { noteShortage: () => {} }, 20_000, 500)
  const busy = await take()
  try {
    const waits = take()
    const isGivenUp = async () => {
      for (const size of [1, 2, 1]) await poll(`its size is ${size}`, () => pool.options.max === size, 20_000)
    }
    await Promise.race([waits, isGivenUp()]).finally(() => busy.release())
    const taken = await waits
    taken.release()
  } finally {
    await admin.query(`alter role ${login} connection limit 6`)
    await pool.end()
  }
})

test('what a process may take is shared out, and every kind of work gets something', () => {
  assert.deepEqual(shareConnections(32), { readers: 8, writers: 12, identity: 4, worker: 4 })
  assert.deepEqual(shareConnections(8), { readers: 1, writers: 1, identity: 1, worker: 1 })
  for (let most = 8; most <= 200; most++) {
    const { readers, writers, identity, worker } = shareConnections(most)
    assert.ok(readers + writers + identity + worker <= most - 4 && Math.min(readers, writers, identity, worker) >= 1)
  }
})
