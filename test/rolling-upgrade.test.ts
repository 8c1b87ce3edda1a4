import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { recount } from '../src/capabilities/findings/public.ts'
import { sarifLog } from '../src/capabilities/findings/test-log.ts'
import type { Queryable } from '../src/kernel/database/database.ts'
import { migrate } from '../src/kernel/database/migrations/migrate.ts'
import { schemaLevel } from '../src/kernel/database/migrations/migration-files.ts'
import { throwAwayDatabase } from './cluster.ts'
import { deepOnly } from './depth.ts'
import { caller, type Request } from './gatehouse.ts'
import { commitBefore, releaseWith, sourcesOf, sourcesWith } from './releases.ts'
import { databaseUrl, dataFolder, poll, root, serveCommand, startServer } from './servers/real-process.ts'
import { createWriteLoad } from './write-load.ts'

const fence = '0065_version_fence.sql'
/** Until there is a release with a fence, one is made of the sources before this: all migrations since are compatible with them. */
const recent = '0172_decisions_of_people.sql'

async function emptyDatabase(t: TestContext) {
  const { connection, drop } = await throwAwayDatabase(false)
  const admin = new pg.Client(connection)
  admin.on('error', () => {})
  await admin.connect()
  t.after(async () => {
    await admin.end()
    await drop()
  })
  return { connection: connection as Parameters<typeof databaseUrl>[0], admin }
}

/** Starts processes of any release on one database. */
function starter(t: TestContext, connection: Parameters<typeof databaseUrl>[0]) {
  const env = { GATEHOUSE_KEY: randomBytes(32).toString('base64'), DATABASE_URL: databaseUrl(connection) }
  return (folder: string) =>
    startServer({ ...env, GATEHOUSE_DATA: dataFolder(t) }, '', serveCommand(['--json'], folder))
}

const miscounts = (admin: pg.Client) =>
  recount({
    deploymentId: 1,
    query: async (statement: pg.QueryConfig) => (await admin.query(statement)).rows,
  } as Queryable)

const upload = (call: ReturnType<typeof caller>, lane: string, from: number) =>
  call('POST', `/api/scans/v1/deployments/1/scans/raw?repository=load/${lane}&ref=main&path=log.sarif`, {
    body: sarifLog({
      tool: 'Tester',
      results: Array.from({ length: 10 }, (_, n) => ({ code: `c${from + n}`, path: `src/f${from + n}.js` })),
    }),
    headers: { 'content-type': 'application/octet-stream' },
  })

test('a rolling upgrade without a stop: two releases on one database under load, and no request fails', async (t) => {
  const { connection, admin } = await emptyDatabase(t)
  const start = starter(t, connection)
  const release = releaseWith(fence) ?? commitBefore(recent)
  const level = String(schemaLevel).padStart(4, '0')
  const expand = `-- compatible-with: ${level}\nalter table team add column motto text; create index on repository (default_branch);`
  // Without history this version is both, the second time with a migration more.
  const before = release ? sourcesOf(t, release) : root
  const after = release ? root : sourcesWith(t, `${schemaLevel + 1}`.padStart(4, '0').concat('_next.sql'), expand)
  t.diagnostic(
    `from ${release ?? 'this version'} to ${release ? 'this version' : 'this version with a migration more'}`,
  )

  const first = await start(before)
  const token = first.welcome.token!
  const behind = [first, await start(before)]
  let turn = 0
  const failed: string[] = []
  const balanced = async (method: string, path: string, request?: Request) => {
    const { url } = behind[turn++ % behind.length]!
    const answer = await caller(url, token)(method, path, request)
    if (answer.status !== 200) failed.push(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer
  }
  const load = await createWriteLoad(balanced, 1)
  let uploads = 0
  let running = true
  const writing = [
    load.run(balanced),
    ...['a', 'b'].map(async (lane) => {
      while (running) await upload(balanced, lane, uploads++)
    }),
  ]
  const more = async () => {
    const since = [load.acknowledged(), uploads]
    await poll('requests are answered', () => load.acknowledged() > since[0]! + 10 && uploads > since[1]! + 4)
  }
  try {
    await more()
    for (const _ of [1, 2]) {
      behind.push(await start(after))
      await more()
      const [leaving] = behind.splice(0, 1)
      leaving!.child.kill('SIGTERM')
      assert.equal(await leaving!.ended, 0)
      await more()
    }
  } finally {
    running = false
    load.stop()
    await Promise.all(writing)
  }
  assert.deepEqual(failed, [])
  assert.deepEqual(await load.faults(admin), [])
  assert.deepEqual(await miscounts(admin), [])
})

const early = [
  { before: '0040_one_rollup.sql', what: 'that counts in another way', skip: deepOnly('one early version is enough') },
  { before: fence, what: 'of the last version without a fence', skip: false },
]
for (const { before, what, skip } of early) {
  const commit = commitBefore(before)
  test(`a process ${what} is waited for; one that was out of reach counts nothing and answers no request when it is back`, {
    skip: commit ? skip : 'there is no history of the sources here (a shallow clone, or a package)',
  }, async (t) => {
    const { connection, admin } = await emptyDatabase(t)
    const old = await starter(t, connection)(sourcesOf(t, commit!))
    for (let n = 0; n < 3; n++) assert.equal((await upload(old.call, 'early', n * 10)).status, 200)
    await assert.rejects(migrate(connection, undefined, { waitMs: 0 }), /an early version.*Stop it/)
    const findings = async () => (await admin.query('select count(*)::int as number from finding')).rows[0].number
    const known = await findings()
    assert.ok(known > 0)

    old.child.kill('SIGSTOP')
    await migrate(connection, undefined, { waitMs: 120_000 })
    old.child.kill('SIGCONT')
    for (let n = 0; n < 5; n++) {
      const answer = await upload(old.call, 'early', 100 + n * 10)
      assert.ok(answer.status >= 500, `${answer.status}`)
      assert.ok((await old.call('GET', '/api/permissions/v2/deployments/1/teams')).status >= 500)
    }
    assert.equal(await findings(), known)
    assert.deepEqual(await miscounts(admin), [])
    await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'gatehouse'`)
    await poll('it is not ready', async () => (await old.call('GET', '/api/readiness-check')).status === 503)
  })
}
