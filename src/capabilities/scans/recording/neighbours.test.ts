import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { systemActor } from '../../../kernel/access/actor.ts'
import { sarifLog } from '../../findings/test-log.ts'
import { upload } from '../test-upload.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse({ jobs: false })
})
after(() => gatehouse.close())

const log = (rule: string) => ({ 'a.sarif': sarifLog({ results: [{ rule }] }) })

/** Somebody has the repository until `release` is called, and an upload waits for it. */
async function holdUp(repository: string) {
  const { deploymentId } = gatehouse.owner
  const actor = systemActor(deploymentId, 'test')
  await upload(gatehouse, { repository }, log('first'))
  const gate = new EventTarget()
  const released = once(gate, 'release')
  await new Promise<void>((resolve, reject) => {
    const holding = gatehouse.db.transaction(actor, async (tx) => {
      await tx.query(
        sql`select from repository where deployment_id = ${deploymentId} and name = ${repository} for update`,
      )
      resolve()
      await released
    })
    holding.catch(reject)
  })
  const waiting = upload(gatehouse, { repository, commit: '1000001' }, log('second'))
  for (;;) {
    const [row] = await gatehouse.db.as(actor).query<{ count: number }>(sql`select count(*) as count from pg_locks
      where not granted`)
    if (row!.count > 0) break
  }
  return { waiting, release: () => gate.dispatchEvent(new Event('release')) }
}

test('uploads that wait for one repository leave the connections to others', { timeout: 120_000 }, async () => {
  const { waiting, release } = await holdUp('busy')
  const uploads = Array.from({ length: 24 }, (_, at) =>
    upload(gatehouse, { repository: 'busy', commit: `10000${at + 10}` }, log(`rule-${at}`)),
  )
  const path = `/api/repositories/v1/deployments/${gatehouse.owner.deploymentId}/repositories`
  const others = Array.from({ length: 4 }, (_, at) => gatehouse.call('POST', path, { body: { name: `other-${at}` } }))
  for (const answer of await Promise.all(others)) assert.equal(answer.status, 200, JSON.stringify(answer.body))
  assert.ok(gatehouse.db.load().writers <= 8, `${gatehouse.db.load().writers} connections`)
  release()
  for (const answer of await Promise.all([waiting, ...uploads]))
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
})

test('small ones are not read before it is their turn, and large ones, which threads read, are', async () => {
  const { waiting, release } = await holdUp('read-in-turn')
  const answered: string[] = []
  const sendBroken = async (name: string, text: string) => {
    const { status } = await upload(gatehouse, { repository: 'read-in-turn' }, { 'broken.sarif': text })
    assert.equal(status, 422)
    answered.push(name)
  }
  const small = sendBroken('small', '{"version": "2.1.0", "runs": [')
  await sendBroken('large', `{"version": "2.1.0", "runs": [${' '.repeat(100_000)}`)
  assert.deepEqual(answered, ['large'])
  release()
  assert.equal((await waiting).status, 200)
  await small
  assert.deepEqual(answered, ['large', 'small'])
})
