import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { type Answer, openGatehouse } from '../../../../test/gatehouse.ts'
import { sarifLog } from '../../findings/test-log.ts'
import { packageLock, upload } from '../test-upload.ts'

const gatehouse = await openGatehouse()
// What a transaction once saw of the other sessions it goes on seeing: who looks is not who holds the lock.
const [admin, holder] = [new pg.Client(gatehouse.connection), new pg.Client(gatehouse.connection)]
await admin.connect()
await holder.connect()
after(async () => {
  await holder.end()
  await admin.end()
  await gatehouse.close()
})

/** The backends that wait for one of these. */
async function waitingFor(pids: readonly number[]): Promise<number[]> {
  const { rows } = await admin.query(
    'select pid from pg_stat_activity where datname = current_database() and pg_blocking_pids(pid) && $1::int[]',
    [pids],
  )
  return rows.map((row) => row.pid)
}

const results = Array.from({ length: 2_100 }, (_, n) => ({ rule: `rule-${n % 5}`, code: `call(${n})` }))
const packages = Object.fromEntries(Array.from({ length: 2_100 }, (_, n) => [`package-${n}`, '1.0.0']))

test('a large upload that takes long keeps nobody waiting who brings the same packages into another new repository', async () => {
  // Holds the large upload up where its findings are written, in the middle of its transaction.
  await holder.query('begin; lock table finding in share mode')
  const { rows: own } = await holder.query('select pg_backend_pid() as pid')
  const large = upload(
    gatehouse,
    { repository: 'shared/large' },
    { 'package-lock.json': packageLock(packages), 'log.sarif': sarifLog({ results }) },
  )
  let answered: Answer | undefined
  large.then((answer) => {
    answered = answer
  })
  let stuck: number[] = []
  while (stuck.length === 0) {
    assert.equal(answered, undefined, 'the large upload was to be held up')
    stuck = await waitingFor([own[0].pid])
  }
  const teams = `/api/permissions/v2/deployments/${gatehouse.owner.deploymentId}/teams`
  const [everyone] = (await gatehouse.call('GET', teams)).body.teams
  const others = [
    ...Array.from({ length: 4 }, (_, n) =>
      upload(gatehouse, { repository: `shared/small-${n}` }, { 'package-lock.json': packageLock(packages) }),
    ),
    gatehouse.call('PATCH', `${teams}/${everyone.id}`, { body: { team: { name: 'All of us' } } }),
  ]
  let done = false
  const answers = Promise.all(others).finally(() => {
    done = true
  })
  while (!done) assert.deepEqual(await waitingFor(stuck), [], 'somebody waits for the large upload')
  for (const answer of await answers) assert.equal(answer.status, 200, JSON.stringify(answer.body))
  await holder.query('commit')
  assert.equal((await large).status, 200)
})
