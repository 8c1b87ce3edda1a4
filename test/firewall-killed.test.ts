import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { testFeed } from '../src/capabilities/firewall/advisories/test-feed.ts'
import { kill, postmastersIn } from '../src/postgres/process/test-owner-process.ts'
import { startNpmRegistry } from '../src/sandbox/registries/npm-registry.ts'
import { often } from './depth.ts'
import { createFirewallLoad, type LoadPackage, type Tally } from './firewall-load.ts'
import { dataFolder, poll, startServer } from './servers/real-process.ts'

const fetches = often(1_600, 40_000)
const kills = Math.ceil(fetches / 800)
const clients = 16

test(`killed ${kills} times during ${fetches} fetches: every byte is right, and the reports equal what clients saw`, async (t) => {
  const { packages, registry, env } = await furnish(t)
  let server = await startServer(env)
  const { token = '', deploymentId = 0 } = server.welcome
  const load = createFirewallLoad(registry, packages, token)
  let ready = judging()

  /** Until it knows its advisories: before that it refuses everything, which is not what is counted here. */
  async function judging(): Promise<void> {
    const { name, version } = packages[0]!
    const path = `/api/firewall/v1/deployments/${deploymentId}/verdict?ecosystem=npm&name=${name}&version=${version}`
    await poll('there are verdicts', async () => (await server.call('GET', path)).body.decision === 'block')
  }

  async function client(number: number): Promise<void> {
    for (let at = number * 13; load.answered() < fetches && load.wrong.length === 0; at += 7) {
      await ready
      await load.fetchOne(`${server.url}/firewall/${deploymentId}/npm`, packages[at % packages.length]!)
    }
  }

  /** Those who ask after this wait for the next one, so each client loses at most one answer to it. */
  async function killOnce(round: number): Promise<void> {
    ready = (async () => {
      server.child.kill('SIGKILL')
      if (round % 2 === 0) for (const pid of postmastersIn(env.GATEHOUSE_DATA)) kill(pid)
      assert.equal(await server.ended, 'SIGKILL')
      server = await startServer(env, token)
      await judging()
    })()
    await ready
  }

  async function killer(): Promise<void> {
    for (let round = 1; round < kills; round++) {
      await ready
      const until = load.answered() + 1 + Math.floor(Math.random() * (fetches / kills) * 1.5)
      const isTime = () => load.answered() >= Math.min(until, fetches) || load.wrong.length > 0
      await poll('enough was fetched', isTime, 120_000)
      // Not to let time pass, but to hit another moment each time.
      await delay(Math.random() * 40)
      await killOnce(round)
    }
  }

  await Promise.all([killer(), ...Array.from({ length: clients }, (_, number) => client(number))])
  assert.deepEqual(load.wrong, [])
  // Once more with nothing under way: all that was answered was answered to the end.
  await killOnce(kills)
  const journal = join(env.GATEHOUSE_DATA, 'firewall-journal')
  await poll('what the killed ones noted is counted', () =>
    existsSync(journal) ? !readdirSync(journal).some((name) => name.endsWith('.events')) : true,
  )

  const reports = `/api/reporting/${deploymentId}/reports/malware-firewall`
  const body = { filters: { timePeriod: { since: '2026-01-01T00:00:00Z', until: '2100-01-01T00:00:00Z' } } }
  const report = async (name: string) => (await server.call('POST', `${reports}/${name}`, { body })).body
  const { rows } = await report('blocked-mal-deps/by-dep-version-and-ecosystem')
  const { buckets } = await report('scan-activity')
  const blocked: number = rows.reduce((sum: number, row: Row) => sum + row.totalBlocked, 0)
  const scans = (kind: keyof Bucket): number => buckets.reduce((sum: number, each: Bucket) => sum + each[kind], 0)
  const [allowed, refused] = [
    load.total(({ isMalicious }) => !isMalicious),
    load.total(({ isMalicious }) => isMalicious),
  ]
  t.diagnostic(`let through: ${shown(allowed)}, counted ${scans('nonBlockingScans')}`)
  t.diagnostic(`refused: ${shown(refused)}, counted ${blocked}`)

  assert.ok(allowed.cut + refused.cut <= clients * (kills - 1))
  assertCounted('let through', scans('nonBlockingScans'), allowed)
  assert.equal(scans('blockingScans'), blocked)
  for (const wanted of packages.filter(({ isMalicious }) => isMalicious)) {
    const row = rows.find(({ dependency, version }: Row) => dependency === wanted.name && version === wanted.version)
    assertCounted(
      wanted.name,
      row?.totalBlocked ?? 0,
      load.total((each) => each === wanted),
    )
  }
})

type Row = { dependency: string; version: string; totalBlocked: number }
type Bucket = { blockingScans: number; nonBlockingScans: number }

/** Nothing that a client saw is missing, and nothing is in it but that and what a client may have missed the answer to. */
function assertCounted(what: string, counted: number, tally: Tally): void {
  assert.ok(tally.seen <= counted, `${what}: ${shown(tally)}, only ${counted} counted`)
  assert.ok(counted <= tally.seen + tally.cut, `${what}: ${shown(tally)}, but ${counted} counted`)
}

function shown({ seen, cut }: Tally): string {
  return `${seen} seen, ${cut} cut off`
}

/** A registry with some packages, a feed that names a version of some, and the settings of a server between them. */
async function furnish(t: TestContext) {
  const registry = await startNpmRegistry()
  const feed = testFeed()
  t.after(async () => {
    await registry.close()
    feed.remove()
  })
  const packages: LoadPackage[] = []
  for (let i = 0; i < 40; i++) {
    const name = `package-${i}`
    // Some stay in memory, some go by way of a file.
    const files = i % 6 === 0 ? { 'package/large': randomBytes(300_000).toString('hex') } : {}
    registry.publish({ name, version: '1.0.0', files })
    registry.publish({ name, version: '1.1.0' })
    const isMalicious = i % 4 === 0
    if (isMalicious) feed.add({ id: `MAL-2026-${i}`, name, versions: ['1.1.0'] })
    packages.push({ name, version: '1.1.0', isMalicious }, { name, version: '1.0.0', isMalicious: false })
  }
  const env = {
    GATEHOUSE_DATA: dataFolder(t),
    GATEHOUSE_FEED: feed.path,
    GATEHOUSE_NPM_UPSTREAM: registry.url,
    GATEHOUSE_CACHE_BYTES: String(4 * 1024 ** 2),
  }
  return { packages, registry, env }
}
