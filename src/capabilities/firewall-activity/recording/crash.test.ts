import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { often } from '../../../../test/depth.ts'
import { openGatehouse } from '../../../../test/gatehouse.ts'

const gatehouse = await openGatehouse()
after(() => gatehouse.close())

const { deploymentId } = gatehouse.owner
const path = `/api/reporting/${deploymentId}/reports/malware-firewall`
const journals = join(gatehouse.dataFolder, 'firewall-journal')
const clients = 20
const rounds = often(2, 40)

async function count(): Promise<{ blocked: number; refused: number; allowed: number }> {
  const filters = { timePeriod: { since: '2026-01-01T00:00:00Z', until: '2100-01-01T00:00:00Z' } }
  const body = { filters }
  const { rows } = (await gatehouse.call('POST', `${path}/blocked-mal-deps/by-dep-version-and-ecosystem`, { body }))
    .body
  const { buckets } = (await gatehouse.call('POST', `${path}/scan-activity`, { body })).body
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
  return {
    blocked: sum(rows.map((row: { totalBlocked: number }) => row.totalBlocked)),
    refused: sum(buckets.map((bucket: { blockingScans: number }) => bucket.blockingScans)),
    allowed: sum(buckets.map((bucket: { nonBlockingScans: number }) => bucket.nonBlockingScans)),
  }
}

/** Runs the process until it has acknowledged so many, then kills it. Answers how many it had acknowledged by then. */
async function recordUntilKilled(refused: boolean, least: number): Promise<number> {
  const { connection, dataFolder } = gatehouse
  const RECORDING = JSON.stringify({ connection, deploymentId, dataFolder, refused, clients })
  const child = spawn(process.execPath, [new URL('./recording-fixture.ts', import.meta.url).pathname], {
    env: { ...process.env, RECORDING },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let acknowledged = 0
  child.stdout.on('data', (data: Buffer) => {
    acknowledged += data.length
    if (acknowledged >= least) child.kill('SIGKILL')
  })
  const [, signal] = await once(child, 'close')
  assert.equal(signal, 'SIGKILL')
  return acknowledged
}

/** What was acknowledged, and at most what each client was waiting for when it was killed. */
function assertKept(kept: number, acknowledged: number): void {
  const numbers = `${acknowledged} were acknowledged, ${kept} are kept`
  assert.ok(kept >= acknowledged && kept <= acknowledged + clients, numbers)
}

test(`killed ${rounds} times right after refusals were acknowledged: none is lost, and both reports agree`, async () => {
  for (let round = 1; round <= rounds; round++) {
    const before = await count()
    const acknowledged = await recordUntilKilled(true, 300 * round)
    const { blocked, refused } = await count()
    assertKept(blocked - before.blocked, acknowledged)
    assert.equal(refused, blocked)
  }
})

test(`killed ${rounds} times while it lets through: a living one counts what the dead one had noted, once`, async () => {
  for (let round = 1; round <= rounds; round++) {
    const before = await count()
    // More than it counts at a time, so that it dies with some counted and some not.
    const acknowledged = await recordUntilKilled(false, 10_000 * round)
    await gatehouse.recorder.flush()
    assertKept((await count()).allowed - before.allowed, acknowledged)
    assert.deepEqual(readdirSync(journals), [])
  }
})

test('killed after it had counted and before it could remove its file: that is not counted again', async () => {
  const before = await count()
  const event = { deploymentId, ecosystem: 'npm', name: 'left', version: '1.0.0', personId: 1, tokenId: 1 } as const
  const record = () => gatehouse.recorder.record({ ...event, refused: false, advisoryId: '' })
  await Promise.all([record(), record()])
  const [file] = readdirSync(journals).filter((name) => name.endsWith('.events'))
  const aside = join(gatehouse.dataFolder, 'aside')
  cpSync(join(journals, file!), aside)
  await gatehouse.recorder.close()
  assert.equal((await count()).allowed, before.allowed + 2)
  assert.deepEqual(readdirSync(journals), [])

  cpSync(aside, join(journals, file!))
  await gatehouse.recorder.flush()
  assert.equal((await count()).allowed, before.allowed + 2)
  assert.deepEqual(readdirSync(journals), [])
})
