import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { openHouse } from '../../../test/house.ts'

const house = await openHouse()
after(() => house.close())

const rounds = 4
const path = `/api/reporting/${house.owner.deploymentId}/reports/malware-firewall`

async function count(): Promise<{ blocked: number; scans: number }> {
  const filters = { timePeriod: { since: '2026-01-01T00:00:00Z', until: '2100-01-01T00:00:00Z' } }
  const body = { filters }
  const { rows } = (await house.call('POST', `${path}/blocked-mal-deps/by-dep-version-and-ecosystem`, { body })).body
  const { buckets } = (await house.call('POST', `${path}/scan-activity`, { body })).body
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
  return {
    blocked: sum(rows.map((row: { totalBlocked: number }) => row.totalBlocked)),
    scans: sum(buckets.map((bucket: { blockingScans: number }) => bucket.blockingScans)),
  }
}

/** Runs the process until it has acknowledged so many, then kills it. Answers how many it had acknowledged by then. */
async function refuseUntilKilled(least: number): Promise<number> {
  const { connection } = house
  const env = { ...process.env, REFUSING: JSON.stringify({ connection, deploymentId: house.owner.deploymentId }) }
  const child = spawn(process.execPath, [new URL('./refusing-fixture.ts', import.meta.url).pathname], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let acknowledged = 0
  child.stdout.on('data', (data: Buffer) => {
    acknowledged += data.length
    if (acknowledged >= least) child.kill('SIGKILL')
  })
  await once(child, 'close')
  return acknowledged
}

test(`killed ${rounds} times right after refusals were acknowledged: none is lost, and both reports agree`, async () => {
  let acknowledged = 0
  for (let round = 1; round <= rounds; round++) {
    const before = (await count()).blocked
    acknowledged = await refuseUntilKilled(300 * round)
    assert.ok(acknowledged >= 300 * round)
    const { blocked, scans } = await count()
    assert.ok(blocked - before >= acknowledged, `${acknowledged} were acknowledged, ${blocked - before} are kept`)
    assert.equal(scans, blocked)
  }
})
