import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openQueue, type TestQueue } from './test-queue.ts'

async function fill({ admin }: TestQueue, deploymentId: number, count: number): Promise<void> {
  await admin.query(
    `insert into outbox (deployment_id, kind, lane, key, payload, run_at)
      select $1, 'a', (n % 10)::text, n::text, '{}', now() - n * interval '1 ms' from generate_series(1, $2::int) n`,
    [deploymentId, count],
  )
  // Some were given up, and nobody has analysed the table: neither may change the plan.
  await admin.query("update outbox set dead_at = now() where key like '%7_' and dead_at is null")
}

/** Pages that one claim of two tenants' jobs looks at. */
async function pagesOfClaim({ admin }: TestQueue): Promise<number> {
  const claim = "select * from claim_due_jobs(array['a'], 20, 10, interval '1 minute', 0, '{}')"
  await admin.query('begin')
  const { rows } = await admin.query(`explain (analyze, buffers, format json) ${claim}`)
  await admin.query('rollback')
  const [{ Plan: plan }] = rows[0]['QUERY PLAN']
  assert.equal(plan['Actual Rows'], 20)
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
}

test('what a claim costs does not grow with what waits', async (t) => {
  const queue = await openQueue(t)
  const tenants = [await queue.tenant(), await queue.tenant()]
  for (const tenant of tenants) await fill(queue, tenant, 1_000)
  const few = await pagesOfClaim(queue)
  for (const tenant of tenants) await fill(queue, tenant, 50_000)
  const many = await pagesOfClaim(queue)
  assert.ok(many < few * 1.5, `${few} pages with few, ${many} with many`)
})
