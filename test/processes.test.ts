import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { throwAwayDatabase } from './cluster.ts'
import { caller } from './gatehouse.ts'
import { oldPostgres } from './outside/old-postgres.ts'
import { unusedPort } from './outside/unused-port.ts'
import { databaseUrl, dataFolder, poll, startProcess, startServer } from './servers/real-process.ts'

type Connection = Parameters<typeof databaseUrl>[0]

const newKey = () => randomBytes(32).toString('base64')

async function emptyDatabase(t: TestContext): Promise<Connection> {
  const { connection, drop } = await throwAwayDatabase(false)
  t.after(drop)
  return connection as Connection
}

async function ask(connection: Connection, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

test('two processes start at once on an empty database: one schema, one owner, one key, and each takes what the other gave', async (t) => {
  const connection = await emptyDatabase(t)
  const env = { GATEHOUSE_KEY: newKey(), DATABASE_URL: databaseUrl(connection) }
  const start = () => startServer({ ...env, GATEHOUSE_DATA: dataFolder(t) })
  const both = await Promise.all([start(), start()])

  const [first, second] = both[0].welcome.token ? both : both.toReversed()
  assert.deepEqual(second!.welcome, {}, 'only one of them has something to show')
  const [counted] = await ask(
    connection,
    `select (select count(*)::int from deployment) as deployments, (select count(*)::int from person) as people,
      (select count(*)::int from signing_key) as keys, (select count(*)::int from api_token) as tokens,
      (select count(*) = count(distinct name) from schema_migration) as migrated`,
  )
  assert.deepEqual(counted, { deployments: 1, people: 1, keys: 1, tokens: 1, migrated: true })

  const { email, password, token, deploymentId } = first!.welcome
  const signIn = await first!.call('POST', '/api/auth/login', { as: '', body: { email, password } })
  const jwt = signIn.body.accessToken
  const there = caller(second!.url, token!)
  assert.deepEqual(
    (await there('GET', '/.well-known/jwks.json')).body,
    (await first!.call('GET', '/.well-known/jwks.json')).body,
  )
  const tokens = `/api/tokens/v1/deployments/${deploymentId}/tokens`
  const made = await there('POST', tokens, { as: jwt, body: { name: 'here and there', webApi: true } })
  assert.equal(made.status, 200)

  const teams = `/api/permissions/v2/deployments/${deploymentId}/teams`
  const use = () => there('GET', teams, { as: made.body.secret })
  assert.equal((await use()).status, 200)
  const revoked = await first!.call('DELETE', `${tokens}/${made.body.token.id}`)
  assert.equal(revoked.status, 200)
  const since = performance.now()
  let last = since
  await poll('the revocation is felt', async () => {
    last = performance.now()
    return (await use()).status === 401
  })
  // When the request that was refused was sent: how long it took says nothing about the revocation.
  assert.ok(last - since < 1_000, `felt after ${last - since} ms`)

  for (const server of both) server.child.kill('SIGTERM')
  assert.deepEqual(await Promise.all(both.map(({ ended }) => ended)), [0, 0])
})

/** A start that cannot succeed: what it says, in one line and without a stack, and its exit code. */
async function refusal(t: TestContext, env: Record<string, string>): Promise<string> {
  const server = startProcess({ GATEHOUSE_DATA: dataFolder(t), GATEHOUSE_LOG_LEVEL: 'silent', ...env })
  assert.equal(await server.ended, 1)
  const { error } = JSON.parse(server.output()) as { error: string }
  assert.doesNotMatch(error, /\n|\bat \//)
  return error
}

test('a database that cannot be used is named in one sentence, with what to do about it', async (t) => {
  const { connection: made, drop } = await throwAwayDatabase(false)
  const connection = made as Connection
  const role = `login_${connection.database}`
  await ask(connection, `create role ${role} login password 'secret'`)
  t.after(async () => {
    await ask(connection, `drop role ${role}`)
    await drop()
  })
  const asRole = { ...connection, user: role, password: 'secret' }
  const old = await oldPostgres(t)
  const nobody = await unusedPort()

  const cases: [string, Record<string, string>, RegExp][] = [
    ['unreachable', { DATABASE_URL: `postgres://a:b@127.0.0.1:${nobody}/c` }, /cannot be reached \(ECONNREFUSED\)/],
    ['too old', { DATABASE_URL: old }, /PostgreSQL 15 or newer is needed; .* version 14\.9/],
    ['password', { DATABASE_URL: databaseUrl({ ...connection, password: 'no' }) }, /refuses the user or password/],
    ['no database', { DATABASE_URL: databaseUrl({ ...connection, database: 'none' }) }, /does not exist: create it/],
    [
      'no right to roles',
      { DATABASE_URL: databaseUrl(asRole) },
      /may not take the roles .* to run: grant gatehouse_app, /,
    ],
    ['not an address', { DATABASE_URL: 'mysql://a/b' }, /DATABASE_URL takes an address like postgres:/],
  ]
  const said = await inTurn(cases, async ([name, env, expected]) => {
    const sentence = await refusal(t, env)
    return expected.test(sentence) ? [] : [`${name}: ${sentence}`]
  })
  assert.deepEqual(said.flat(), [])
  await ask(connection, `grant gatehouse_app, gatehouse_identity, gatehouse_worker to ${role}`)
  assert.match(await refusal(t, { DATABASE_URL: databaseUrl(asRole) }), /may not create tables in this database/)
})

test('a data folder that cannot be one stops the start before the database is touched', async (t) => {
  const connection = await emptyDatabase(t)
  const file = join(dataFolder(t), 'a file')
  writeFileSync(file, '')
  const own = { DATABASE_URL: databaseUrl(connection), GATEHOUSE_KEY: newKey() }
  for (const env of [own, {}]) {
    assert.match(
      await refusal(t, { ...env, GATEHOUSE_DATA: file }),
      /^Cannot use '.*a file': it is not a folder\. Choose/,
    )
  }
  assert.deepEqual(await ask(connection, `select 1 from pg_tables where schemaname = 'public'`), [])
})

test('a key that does not open what the database holds, and a port that is taken, stop the start', async (t) => {
  const connection = await emptyDatabase(t)
  const env = { DATABASE_URL: databaseUrl(connection), GATEHOUSE_KEY: newKey() }
  const server = await startServer({ ...env, GATEHOUSE_DATA: dataFolder(t) })
  assert.match(await refusal(t, { ...env, GATEHOUSE_KEY: newKey() }), /key/)
  const { port } = new URL(server.url)
  assert.match(await refusal(t, { ...env, PORT: port }), new RegExp(`Port ${port} at 127.0.0.1 is in use`))
})

async function inTurn<T, R>(items: T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (const item of items) results.push(await work(item))
  return results
}
