import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { testFeed } from '../src/capabilities/firewall/advisories/test-feed.ts'
import { checkObjectStore } from '../src/cli/doctor/object-store-checks.ts'
import { createObjectStore } from '../src/outbound/object-store/object-store.ts'
import { startNpmRegistry } from '../src/sandbox/registries/npm-registry.ts'
import { readSettings } from '../src/settings/settings.ts'
import { throwAwayDatabase } from './cluster.ts'
import { createFirewallLoad } from './firewall-load.ts'
import { minioKeys, minioSettings, startMinio, withoutMinio } from './outside/minio.ts'
import { databaseUrl, dataFolder, poll, startServer } from './servers/real-process.ts'

type Wanted = { name: string; version: string; isMalicious: boolean }

test('two processes share packages through MinIO, and no state of it costs an answer or lets other bytes through', {
  skip: withoutMinio,
}, async (t) => {
  const minio = await startMinio(t)
  const registry = await startNpmRegistry()
  const feed = testFeed()
  feed.add({ id: 'MAL-2026-1', name: 'malicious', versions: ['1.0.0'] })
  const { connection, drop } = await throwAwayDatabase()
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
  const s3 = minioSettings(minio.url)
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
    bucket: { ...bucket, accessKeyId: minioKeys.MINIO_ROOT_USER, secretAccessKey: minioKeys.MINIO_ROOT_PASSWORD },
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
  for (const { log } of [...servers, third]) assert.ok(!log().includes(minioKeys.MINIO_ROOT_PASSWORD))
})
