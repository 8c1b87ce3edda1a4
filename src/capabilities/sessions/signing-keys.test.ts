import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { openHouse } from '../../../test/house.ts'
import { poll } from '../../../test/real-process.ts'
import { createKeyKeeper } from '../../vault/key-keeper.ts'
import { createSigningKeys } from './signing-keys.ts'

const house = await openHouse()
const admin = new pg.Client(house.connection)
await admin.connect()
after(async () => {
  await admin.end()
  await house.close()
})

const keeper = createKeyKeeper(house, 'a test')

/** From here on there is none that signs, so that whoever needs one makes it. */
async function retireAll(): Promise<void> {
  await admin.query('update signing_key set retired_at = now() where retired_at is null')
}

async function leftBehind(): Promise<string[]> {
  const newest = await house.ring.currentVersion('instance')
  const { rows } = await admin.query(
    `select id from signing_key where (sealed_private_key ->> 'keyVersion')::int < $1`,
    [Number(newest)],
  )
  return rows.map(({ id }) => id)
}

/** How many sessions of this database wait for a lock. */
async function waiting(): Promise<number> {
  const { rows } = await admin.query(`select count(distinct pid)::int as count from pg_locks
    where not granted and (database is null or database = (select oid from pg_database where datname = current_database()))`)
  return rows[0].count
}

test('a signing key that was sealed before a rotation and is written after it is sealed anew', async () => {
  await retireAll()
  let rotated = false
  const ring = {
    ...house.ring,
    async seal(...given: Parameters<typeof house.ring.seal>) {
      const sealed = await house.ring.seal(...given)
      if (!rotated) await keeper.rotateAll()
      rotated = true
      return sealed
    },
  }
  const { kid } = await createSigningKeys(house.db, ring).current()
  assert.deepEqual([rotated, await leftBehind()], [true, []])
  assert.equal((await createSigningKeys(house.db, house.ring).current()).kid, kid)
})

test('a rotation waits for a signing key that is being written, so that it finds it', async () => {
  await retireAll()
  const before = await house.ring.currentVersion('instance')
  // The key is sealed, and cannot be written before we let go of its place.
  await admin.query('begin')
  await admin.query(`select pg_advisory_xact_lock(hashtext('gatehouse.signing_key'))`)
  const making = createSigningKeys(house.db, house.ring).current()
  await poll('the key waits', async () => (await waiting()) > 0)
  let rotated = false
  const rotating = keeper.rotateAll().finally(() => (rotated = true))
  await poll('the rotation waits, or does not care', async () => rotated || (await waiting()) > 1)
  await admin.query('rollback')
  const [{ kid }] = await Promise.all([making, rotating])
  assert.deepEqual(await leftBehind(), [])
  assert.notEqual(await house.ring.currentVersion('instance'), before)
  assert.equal((await createSigningKeys(house.db, house.ring).current()).kid, kid)
})
