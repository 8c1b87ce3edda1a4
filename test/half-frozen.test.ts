import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { systemActor } from '../src/kernel/access/actor.ts'
import { openGatehouse } from './gatehouse.ts'

test('told to stop while one session of the database is frozen, it still ends', { timeout: 60_000 }, async () => {
  const gatehouse = await openGatehouse({ stopPatienceMs: 2_000, jobs: false })
  const { deploymentId } = gatehouse.owner
  const pid = await gatehouse.db.transaction(systemActor(deploymentId, 'test'), async (tx) => {
    const [row] = await tx.query<{ pid: number }>(sql`select pg_backend_pid() as pid`)
    return row!.pid
  })
  process.kill(pid, 'SIGSTOP')

  // The pool hands out the session that was used last.
  const path = `/api/permissions/v2/deployments/${deploymentId}/teams`
  const received = once(gatehouse.app.server, 'request')
  const headers = { authorization: `Bearer ${gatehouse.owner.token}`, 'content-type': 'application/json' }
  const request = http.request(gatehouse.url + path, { method: 'POST', headers, agent: false })
  request.end(JSON.stringify({ team: { name: 'In flight' } }))
  await received
  const closed = gatehouse.close()
  const [answer] = await once(request, 'response')
  assert.equal(answer.statusCode, 503)
  answer.resume()
  // Only so that its database can be dropped.
  process.kill(pid, 'SIGCONT')
  await closed
})
