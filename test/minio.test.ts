import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { type TestContext, test } from 'node:test'
import { testFeed } from '../src/capabilities/firewall/advisories/test-feed.ts'
import { checkObjectStore } from '../src/cli/doctor/object-store-checks.ts'
import { createObjectStore } from '../src/outbound/object-store/object-store.ts'
import { startNpmRegistry } from '../src/sandbox/registries/npm-registry.ts'
import { readSettings } from '../src/settings/settings.ts'
import { throwAwayDatabase } from './cluster.ts'
import { program, without } from './deploy/programs.ts'
import { createFirewallLoad } from './firewall-load.ts'
import { unusedPort } from './outside/unused-port.ts'
import { databaseUrl, dataFolder, poll, startServer } from './servers/real-process.ts'

type Wanted = { name: string; version: string; isMalicious: boolean }

const skip = without('minio', 'go install github.com/minio/minio@latest')
const keys = { MINIO_ROOT_USER: 'gatehouse', MINIO_ROOT_PASSWORD: 'canary-of-the-secret-key' }

/** With a bucket `packages`, in a folder of its own. */
async function startMinio(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-minio-'))
  mkdirSync(join(folder, 'packages'))
  const port = await unusedPort()
  const url = `http://127.0.0.1:${port}`
  let child: ChildProcess
  const isLive = () =>
    fetch(`${url}/minio/health/live`).then(
      ({ ok }) => ok,
      () => false,
    )
  async function start(): Promise<void> {
    const env = { ...process.env, ...keys, MINIO_BROWSER: 'off' }
    const args = ['server', folder, '--quiet', '--address', `127.0.0.1:${port}`]
    child = spawn(program('minio')!, args, { env, stdio: 'ignore' })
    await poll('MinIO is live', isLive)
  }
  async function stop(): Promise<void> {
    child.kill('SIGKILL')
    await poll('MinIO has gone', async () => !(await isLive()))
  }
  t.after(() => {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  await start()
  /** Names of objects below the prefix. MinIO keeps each as a folder with this file in it. */
  const objects = (): string[] => {
    const place = join(folder, 'packages/gatehouse')
    if (!existsSync(place)) return []
    const files = readdirSync(place, { recursive: true, withFileTypes: true })
    return files.filter(({ name }) => name === 'xl.meta').map(({ parentPath }) => relative(place, parentPath))
  }
  return { url, objects, stop, start }
}

test('two processes share packages through MinIO, and no state of it costs an answer or lets other bytes through', {
  skip,
}, async (t) => {
  const minio = await startMinio(t)
  const registry = await startNpmRegistry()
  const feed = testFeed()
  feed.add({ id: 'MAL-2026-1', name: 'malicious', versions: ['1.0.0'] })
  const { connection, drop } = await throwAwayDatabase(false)
  t.after(async () => {
    await registry.close()
    feed.remove()
    await drop()
  })
  const wanted = ['shared', 'spoilt', 'away', 'refused'].map((name) => {
    registry.publish({ name, version: '1.0.0', files: { 'package/more': randomBytes(300_000).toString('base64') } })
    return { name, version: '1.0.0', isMalicious: false }
  })
  const [shared, spoilt, away, refused] = wanted as [Wanted, Wanted, Wanted, Wanted]
  const s3 = {
    GATEHOUSE_S3_ENDPOINT: minio.url,
    GATEHOUSE_S3_BUCKET: 'packages',
    GATEHOUSE_S3_ACCESS_KEY_ID: keys.MINIO_ROOT_USER,
    GATEHOUSE_S3_SECRET_ACCESS_KEY: keys.MINIO_ROOT_PASSWORD,
  }
  const env = {
    DATABASE_URL: databaseUrl(connection as Parameters<typeof databaseUrl>[0]),
    GATEHOUSE_KEY: randomBytes(32).toString('base64'),
    GATEHOUSE_FEED: feed.path,
    GATEHOUSE_NPM_UPSTREAM: registry.url,
    ...s3,
  }
  const first = await startServer({ ...env, GATEHOUSE_DATA: dataFolder(t) })
  const { token = '', deploymentId = 0 } = first.welcome
  const second = await startServer({ ...env, GATEHOUSE_DATA: dataFolder(t) }, token)
  const servers = [first, second]
  const load = createFirewallLoad(registry, wanted, token)
  for (const { call } of servers) {
    const path = `/api/firewall/v1/deployments/${deploymentId}/verdict?ecosystem=npm&name=malicious&version=1.0.0`
    await poll('there are verdicts', async () => (await call('GET', path)).body.decision === 'block')
  }
  const fetchAt = (server: typeof second, one: Wanted) =>
    load.fetchOne(`${server.url}/firewall/${deploymentId}/npm`, one)
  const asked = ({ name }: { name: string }) =>
    registry.seen.filter(({ path }) => path.endsWith(`/${name}-1.0.0.tgz`)).length

  await fetchAt(first, shared)
  await poll('it is in the bucket', () => minio.objects().length === 1)
  await fetchAt(second, shared)
  assert.equal(asked(shared), 1)

  const before = new Set(minio.objects())
  await fetchAt(first, spoilt)
  await poll('the second is in the bucket', () => minio.objects().length === 2)
  const [name] = minio.objects().filter((each) => !before.has(each)) as [string]
  const bucket = { url: `${minio.url}/packages`, prefix: 'gatehouse', region: 'us-east-1' }
  const store = createObjectStore({
    bucket: { ...bucket, accessKeyId: keys.MINIO_ROOT_USER, secretAccessKey: keys.MINIO_ROOT_PASSWORD },
    allow: '',
  })
  t.after(store.close)
  await store.put(name, 7, Buffer.from('other\n\n'))
  await fetchAt(second, spoilt)
  assert.equal(asked(spoilt), 2)
  await poll('the log says so', () => second.log().includes('the object store had other bytes for a package'))

  await minio.stop()
  await fetchAt(second, away)
  const says = async (more: Record<string, string>) => {
    const [found] = await checkObjectStore(readSettings({ ...s3, ...more }))
    return `${found!.state}: ${found!.detail.replace(`${minio.url}/`, '')}`
  }
  assert.match(await says({}), /^problem: packages\/gatehouse cannot be used\. /)
  await minio.start()
  assert.equal(await says({}), 'ok: packages/gatehouse can be written, read and removed from')
  assert.equal(
    await says({ GATEHOUSE_S3_SECRET_ACCESS_KEY: 'another-secret' }),
    'problem: packages/gatehouse cannot be used. It answers 403 SignatureDoesNotMatch.',
  )
  assert.equal(
    await says({ GATEHOUSE_S3_ACCESS_KEY_ID: 'nobody' }),
    'problem: packages/gatehouse cannot be used. It answers 403 InvalidAccessKeyId.',
  )
  assert.equal(
    await says({ GATEHOUSE_S3_BUCKET: 'nothing-there' }),
    'problem: nothing-there/gatehouse cannot be used. It answers 404 NoSuchBucket.',
  )

  const third = await startServer(
    { ...env, GATEHOUSE_DATA: dataFolder(t), GATEHOUSE_S3_BUCKET: 'nothing-there' },
    token,
  )
  await fetchAt(third, refused)
  await poll('the log says why', () => third.log().includes('NoSuchBucket'))
  assert.deepEqual(load.wrong, [])
  for (const { log } of [...servers, third]) assert.ok(!log().includes(keys.MINIO_ROOT_PASSWORD))
})
