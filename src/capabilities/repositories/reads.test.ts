import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse } from '../../../test/gatehouse.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import { permitted } from '../../kernel/access/permission.ts'
import type { Transaction } from '../../kernel/database/database.ts'
import { named, withIds } from './public.ts'

const gatehouse = await openGatehouse()
after(() => gatehouse.close())

const { deploymentId } = gatehouse.owner
const path = `/api/repositories/v1/deployments/${deploymentId}/repositories`
const actor: Actor = {
  deploymentId,
  personId: 1,
  tokenId: 0,
  role: 'owner',
  permissions: permitted('owner', undefined),
  requestId: 'test',
}

async function somebodyWaitsFor(tx: Transaction): Promise<'waiting'> {
  for (;;) {
    const waiting = await tx.query(
      sql`select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`,
    )
    if (waiting.length > 0) return 'waiting'
  }
}

test('what was looked up in a transaction is not deleted before it ends', async () => {
  const lookups: ((tx: Transaction, id: number, name: string) => Promise<unknown>)[] = [
    (tx, id) => withIds(tx, actor, [id]),
    (tx, _, name) => named(tx, actor, [name]),
  ]
  for (const [index, lookUp] of lookups.entries()) {
    const name = `wanted-${index}`
    const { id } = (await gatehouse.call('POST', path, { body: { name } })).body.repository
    const [first, deletion] = await gatehouse.db.transaction(actor, async (tx) => {
      await lookUp(tx, id, name)
      const deletion = gatehouse.call('DELETE', `${path}/${id}`)
      return [await Promise.race([somebodyWaitsFor(tx), deletion]), { deletion }] as const
    })
    assert.equal(first, 'waiting')
    assert.equal((await deletion.deletion).status, 200)
  }
})

test('names are found once each, and what is unknown is named', async () => {
  for (const name of ['one', 'two']) await gatehouse.call('POST', path, { body: { name } })
  await gatehouse.db.transaction(actor, async (tx) => {
    const rows = await named(tx, actor, ['two', 'one', 'two'])
    assert.deepEqual(
      rows.map((row) => row.name),
      ['one', 'two'],
    )
    assert.deepEqual(await named(tx, actor, []), [])
    await assert.rejects(named(tx, actor, ['one', 'ONE', 'three']), {
      code: 'unknown_repository',
      message: "No repositories 'ONE', 'three'.",
      errors: [],
    })
    await assert.rejects(
      named(tx, actor, ['three'], (at) => `/names/${at}`),
      { message: "No repository 'three'.", errors: [{ pointer: '/names/0', detail: "no repository 'three'" }] },
    )
  })
})
