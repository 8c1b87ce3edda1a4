import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse } from '../../../test/gatehouse.ts'
import { composeCore } from '../../compose/core.ts'
import { systemClock } from '../../kernel/time/clock.ts'
import { changeMasterKey } from './change-master-key.ts'

const gatehouse = await openGatehouse()
after(() => gatehouse.close())

const next = randomBytes(32)
const place = { record: 'r', field: 'f' }

test('after a change the new key opens what was sealed, and the former one neither opens nor adds anything', async () => {
  const sealed = await gatehouse.ring.seal('1', 'secret', place)
  const identity = await gatehouse.permanentKeys.findingIdentity(1)
  const scopes = () => gatehouse.db.identityQuery(sql`select scope, version from data_key order by scope, version`)
  const before = await scopes()
  assert.equal(await changeMasterKey(gatehouse.db, gatehouse.masterKey, next), before.length)

  const fresh = composeCore({ connection: gatehouse.connection, masterKey: next, clock: systemClock })
  after(() => fresh.db.close())
  assert.equal(String(await fresh.ring.open('1', sealed, place)), 'secret')
  assert.deepEqual(await fresh.permanentKeys.findingIdentity(1), identity)

  const wrong = { reason: 'wrong_master_key' }
  await assert.rejects(gatehouse.ring.confirm(), wrong)
  await assert.rejects(gatehouse.ring.seal('1', 'secret', place), wrong)
  await assert.rejects(gatehouse.ring.seal('4711', 'secret', place), wrong)
  await assert.rejects(gatehouse.permanentKeys.findingIdentity(4711), wrong)
  await assert.rejects(changeMasterKey(gatehouse.db, gatehouse.masterKey, randomBytes(32)), wrong)
  assert.deepEqual(await scopes(), before)
  await fresh.ring.seal('4711', 'secret', place)
})

test('a key that is added while the master key is being changed is refused, or changed with the others', async () => {
  const core = composeCore({ connection: gatehouse.connection, masterKey: next, clock: systemClock })
  const last = randomBytes(32)
  try {
    await core.ring.confirm()
    const adding = Array.from({ length: 20 }, (_, n) => core.ring.seal(`${5_000 + n}`, 'secret', place))
    const [changed, ...added] = await Promise.allSettled([changeMasterKey(core.db, next, last), ...adding])
    assert.equal(changed.status, 'fulfilled')
    const fresh = composeCore({ connection: gatehouse.connection, masterKey: last, clock: systemClock })
    for (const [n, one] of added.entries()) {
      if (one.status === 'fulfilled')
        assert.equal(String(await fresh.ring.open(`${5_000 + n}`, one.value, place)), 'secret')
      else assert.equal(one.reason.reason, 'wrong_master_key')
    }
    const keys = await core.db.identityQuery<{ scope: string }>(sql`select distinct scope from data_key`)
    for (const { scope } of keys) await fresh.ring.load(scope)
    await fresh.db.close()
  } finally {
    await core.db.close()
  }
})
