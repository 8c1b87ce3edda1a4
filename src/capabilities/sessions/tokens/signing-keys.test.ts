import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { openGatehouse } from '../../../../test/gatehouse.ts'
import { poll } from '../../../../test/servers/real-process.ts'
import { createKeyRotation } from '../../../vault/rotation/key-rotation.ts'
import { createSigningKeys } from './signing-keys.ts'

const gatehouse = await openGatehouse()
const admin = new pg.Client(gatehouse.connection)
await admin.connect()
after(async () => {
  await admin.end()
  await gatehouse.close()
})

const keeper = createKeyRotation(gatehouse, 'a test')

/** From here on there is none that signs, so that whoever needs one makes it. */
async function retireAll(): Promise<void> {
  await admin.query('update signing_key set retired_at = now() where retired_at is null')
}

async function leftBehind(): Promise<string[]> {
  const newest = await gatehouse.ring.currentVersion('instance')
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

test('a signing key that was sealed before a rotation and is written after it is sealed again', async () => {
  await retireAll()
  let rotated = false
  const ring = {
    ...gatehouse.ring,
    async seal(...given: Parameters<typeof gatehouse.ring.seal>) {
      const sealed = await gatehouse.ring.seal(...given)
      if (!rotated) await keeper.rotateAll()
      rotated = true
      return sealed
    },
  }
  const { kid } = await createSigningKeys(gatehouse.db, ring).current()
  assert.deepEqual([rotated, await leftBehind()], [true, []])
  assert.equal((await createSigningKeys(gatehouse.db, gatehouse.ring).current()).kid, kid)
})

test('a rotation waits for a signing key that is being written, so that it finds it', async () => {
  await retireAll()
  const before = await gatehouse.ring.currentVersion('instance')
  // The key is sealed, and cannot be written before we let go of its place.
  await admin.query('begin')
  await admin.query(`select pg_advisory_xact_lock(hashtext('gatehouse.signing_key'))`)
  const making = createSigningKeys(gatehouse.db, gatehouse.ring).current()
  await poll('the key waits', async () => (await waiting()) > 0)
  let rotated = false
  const rotating = keeper.rotateAll().finally(() => (rotated = true))
  await poll('the rotation waits, or does not care', async () => rotated || (await waiting()) > 1)
  await admin.query('rollback')
  const [{ kid }] = await Promise.all([making, rotating])
  assert.deepEqual(await leftBehind(), [])
  assert.notEqual(await gatehouse.ring.currentVersion('instance'), before)
  assert.equal((await createSigningKeys(gatehouse.db, gatehouse.ring).current()).kid, kid)
})

const ids = async () => (await admin.query('select id from signing_key order by created_at')).rows.map(({ id }) => id)
const published = async (keys: ReturnType<typeof createSigningKeys>) => (await keys.publicKeys()).map(({ kid }) => kid)

test('a key that is 30 days old gives way, still verifies for an hour, and is then removed, on every process', async () => {
  const [one, other] = [
    createSigningKeys(gatehouse.db, gatehouse.ring, 0),
    createSigningKeys(gatehouse.db, gatehouse.ring, 0),
  ]
  const { kid: old } = await one.current()
  await admin.query(`update signing_key set created_at = now() - interval '31 days' where id = $1`, [old])
  const { kid } = await one.current()
  assert.notEqual(kid, old)
  assert.equal((await other.current()).kid, kid)
  assert.ok(await other.find(old), 'tokens that were signed with it are still valid')
  assert.ok((await published(other)).includes(old))

  await admin.query(`update signing_key set retired_at = now() - interval '61 minutes' where id = $1`, [old])
  assert.equal(await other.find(old), undefined)
  assert.ok(![...(await published(one)), ...(await published(other))].includes(old))
  await one.rotate()
  assert.ok(!(await ids()).includes(old), 'its private half is gone')
})

test('of processes that notice at once that a key is due, one makes the new one', async () => {
  const { kid: old } = await createSigningKeys(gatehouse.db, gatehouse.ring).current()
  await admin.query(`update signing_key set created_at = now() - interval '31 days' where id = $1`, [old])
  const all = Array.from({ length: 8 }, () => createSigningKeys(gatehouse.db, gatehouse.ring).current())
  assert.equal(new Set((await Promise.all(all)).map(({ kid }) => kid)).size, 1)
})

test('a rotation by hand signs with another key from then on, and breaks no token', async () => {
  const jwt = await gatehouse.signIn(gatehouse.owner.email, gatehouse.owner.password)
  const before = await published(createSigningKeys(gatehouse.db, gatehouse.ring))
  const kid = await gatehouse.signingKeys.rotate()
  assert.ok(!before.includes(kid))
  const boards = `/api/agent/deployments/${gatehouse.owner.deploymentId}/ruleboards`
  assert.equal((await gatehouse.call('GET', boards, { as: jwt })).status, 200)
  const fresh = await gatehouse.signIn(gatehouse.owner.email, gatehouse.owner.password)
  assert.equal(JSON.parse(Buffer.from(fresh.split('.')[0]!, 'base64url').toString()).kid, kid)
})
