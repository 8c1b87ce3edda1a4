import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { testFeed } from '../src/capabilities/firewall/advisories/test-feed.ts'
import { checkObjectStore } from '../src/cli/doctor/object-store-checks.ts'
import { startNpmRegistry } from '../src/sandbox/registries/npm-registry.ts'
import { readSettings } from '../src/settings/settings.ts'
import { throwAwayDatabase } from './cluster.ts'
import { createFirewallLoad } from './firewall-load.ts'
import { minioSettings, startMinio, withoutMinio } from './outside/minio.ts'
import { startSlowProxy } from './outside/slow-proxy.ts'
import { databaseUrl, dataFolder, poll, startServer } from './servers/real-process.ts'

const malicious = { name: 'malicious', version: '1.0.0', isMalicious: true }

/** Two processes with disks of their own, each with its way to the bucket, and packages of these names and sizes. */
async function openFirewall(t: TestContext, stores: [string, string], sizes: Record<string, number>) {
  const registry = await startNpmRegistry()
  const feed = testFeed()
  feed.add({ id: 'MAL-2026-1', name: malicious.name, versions: [malicious.version] })
  const { connection, drop } = await throwAwayDatabase()
  t.after(async () => {
    await registry.close()
    feed.remove()
    await drop()
  })
  registry.publish({ name: malicious.name, version: malicious.version })
  const wanted = Object.entries(sizes).map(([name, bytes]) => {
    registry.publish({ name, version: '1.0.0', files: { 'package/more': randomBytes(bytes).toString('latin1') } })
    return { name, version: '1.0.0', isMalicious: false }
  })
  const env = {
    DATABASE_URL: databaseUrl(connection as Parameters<typeof databaseUrl>[0]),
    GATEHOUSE_KEY: randomBytes(32).toString('base64'),
    GATEHOUSE_FEED: feed.path,
    GATEHOUSE_NPM_UPSTREAM: registry.url,
  }
  const first = await startServer({ ...env, ...minioSettings(stores[0]), GATEHOUSE_DATA: dataFolder(t) })
  const { token = '', deploymentId = 0 } = first.welcome
  const second = await startServer({ ...env, ...minioSettings(stores[1]), GATEHOUSE_DATA: dataFolder(t) }, token)
  const load = createFirewallLoad(registry, [...wanted, malicious], token)
  const verdict = `/api/firewall/v1/deployments/${deploymentId}/verdict?ecosystem=npm&name=malicious&version=1.0.0`
  for (const { call } of [first, second])
    await poll('there are verdicts', async () => (await call('GET', verdict)).body.decision === 'block')
  return {
    first,
    second,
    /** Right to the last byte, or refused as it should be. */
    async fetch(server: typeof second, name: string): Promise<void> {
      const one = [...wanted, malicious].find((each) => each.name === name)!
      assert.equal(await load.fetchOne(`${server.url}/firewall/${deploymentId}/npm`, one), true, name)
      assert.deepEqual(load.wrong, [])
    },
    asked: (name: string) => registry.seen.filter(({ path }) => path.endsWith(`/${name}-1.0.0.tgz`)).length,
  }
}

/** Until one of them, which the store has, comes from there: on a busy machine it may be passed over for being slow. */
async function untilFromStore(
  { fetch, asked }: Awaited<ReturnType<typeof openFirewall>>,
  server: Awaited<ReturnType<typeof startServer>>,
  names: string[],
): Promise<void> {
  await poll(
    'a package comes from the store',
    async () => {
      const name = names.shift()!
      await fetch(server, name)
      return asked(name) === 1
    },
    240_000,
    1_000,
  )
}

async function doctorSays(url: string): Promise<string> {
  const [found] = await checkObjectStore(readSettings(minioSettings(url)))
  return `${found!.state}: ${found!.detail}`
}

/** How many requests to the store failed, as the metrics say. */
async function failures({ call }: Awaited<ReturnType<typeof startServer>>): Promise<number> {
  const { body } = await call('GET', '/metrics')
  return Number(/package_store_problems_total\{what="failed"\} (\d+)/.exec(body)![1])
}

const volume = mkdtempSync(join(tmpdir(), 'gatehouse-volume-'))
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', volume]).status === 0
const skip = withoutMinio || (mounted ? false : 'no small volume can be mounted here: this takes root')
process.once('exit', () => {
  spawnSync('umount', ['--lazy', volume])
  rmSync(volume, { recursive: true, force: true })
})

test('a MinIO that is full is read from, is named, costs no package, and takes them again when there is room', {
  skip,
}, async (t) => {
  const minio = await startMinio(t, join(volume, 'data'))
  const before = Array.from({ length: 50 }, (_, n) => `before-${n}`)
  const after = Array.from({ length: 50 }, (_, n) => `after-${n}`)
  const firewall = await openFirewall(t, [minio.url, minio.url], {
    full: 400_000,
    ...Object.fromEntries([...before, ...after].map((name) => [name, 1_000])),
  })
  const { first, second, fetch, asked } = firewall
  for (const name of before) await fetch(first, name)
  await poll('packages are in the bucket', () => minio.objects().length > 10)

  const ballast = join(volume, 'ballast')
  const { bavail, bsize } = statfsSync(volume)
  writeFileSync(ballast, Buffer.alloc(bavail * bsize - 200_000))
  await poll('the doctor names it', async () => (await doctorSays(minio.url)).includes('507 XMinioStorageFull'))
  await fetch(first, 'full')
  await poll('the log names it', () => /"use":"writing","why":"It answers 507 XMinioStorageFull\."/.test(first.log()))
  assert.ok((await failures(first)) > 0)
  await untilFromStore(firewall, second, before)
  await fetch(second, 'malicious')
  assert.equal(asked('malicious'), 0)
  const inBucket = minio.objects().length

  rmSync(ballast)
  await poll('the doctor is content', async () => (await doctorSays(minio.url)).startsWith('ok: '))
  for (const name of after) await fetch(first, name)
  await poll('more are in the bucket', () => minio.objects().length > inBucket)
})

test('a MinIO that drips or is silent costs no package, is named, and is used again by itself', {
  skip: withoutMinio,
}, async (t) => {
  const minio = await startMinio(t)
  const proxy = await startSlowProxy(t, minio.url)
  const later = Array.from({ length: 100 }, (_, n) => `later-${n}`)
  const silent = Array.from({ length: 6 }, (_, n) => `silent-${n}`)
  const firewall = await openFirewall(t, [minio.url, proxy.url], {
    drips: 400_000,
    ...Object.fromEntries([...silent, ...later].map((name) => [name, 1_000])),
  })
  const { first, second, fetch, asked } = firewall
  await fetch(first, 'drips')
  await poll('it is in the bucket', () => minio.objects().length === 1)
  for (const name of [...silent, ...later]) await fetch(first, name)
  await poll('others are too', () => minio.objects().length > 20)

  // Its headers come at once, and its content would take eight seconds.
  proxy.pace(50_000)
  await fetch(second, 'drips')
  assert.equal(asked('drips'), 2)
  await poll('the log names it', () => second.log().includes('"use":"reading"'))

  proxy.pace(0)
  for (const name of silent) await fetch(second, name)
  await fetch(second, 'malicious')
  assert.deepEqual([...new Set(silent.map(asked))], [2])
  assert.match(await doctorSays(proxy.url), /^problem: .* cannot be used\. /)
  assert.ok((await failures(second)) > 5)

  proxy.pace(Number.POSITIVE_INFINITY)
  await untilFromStore(firewall, second, later)
})
