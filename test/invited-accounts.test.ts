import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import pg from 'pg'
import { throwAwayDatabase } from './cluster.ts'
import { tokenOf } from './gatehouse.ts'
import { databaseUrl, dataFolder, startServer } from './servers/real-process.ts'

type Connection = Parameters<typeof databaseUrl>[0]

/** The schema belongs to a user who is not a superuser, as it should: then row-level security holds for that one too. */
test('people come in where the database user is an ordinary one, and the tenant role makes no other accounts', async (t) => {
  const { connection: made, drop } = await throwAwayDatabase(false)
  const connection = made as Connection
  const role = `owner_${connection.database}`
  const admin = new pg.Client(connection)
  await admin.connect()
  await admin.query(`create role ${role} login password 'secret'; grant create on schema public to ${role};
    grant gatehouse_app, gatehouse_identity, gatehouse_worker to ${role}`)
  t.after(async () => {
    await admin.query(`drop owned by ${role}; drop role ${role}`)
    await admin.end()
    await drop()
  })
  const env = { DATABASE_URL: databaseUrl({ ...connection, user: role, password: 'secret' }) }
  const server = await startServer({
    ...env,
    GATEHOUSE_KEY: randomBytes(32).toString('base64'),
    GATEHOUSE_DATA: dataFolder(t),
  })
  const people = '/api/people/v1/deployments/1/people'
  const invite = async (email: string) => (await server.call('POST', people, { body: { email } })).body
  const { link } = await invite('ada@example.com')
  const body = { token: tokenOf(link), password: 'correct horse battery' }
  const joined = await server.call('POST', '/api/auth/invitations/accept', { as: '', body })
  assert.equal(joined.status, 200, JSON.stringify(joined.body))

  const { invitation, link: second } = await invite('bob@example.com')
  const hash = createHash('sha256').update(tokenOf(second)).digest()
  const tenant = new pg.Client({ ...connection, user: role, password: 'secret' })
  await tenant.connect()
  t.after(() => tenant.end())
  await tenant.query('set role gatehouse_app')
  const inDeployment = (id: number) => tenant.query(`select set_config('gatehouse.tenant', $1, false)`, [String(id)])
  const make = async (id: number, invited: number, given: Buffer): Promise<boolean> =>
    (await tenant.query(`select create_invited_account($1, $2, $3, 'Planted', '') as made`, [id, invited, given]))
      .rows[0].made
  const { rows } = await admin.query("select nextval('person_id_seq')::int as id")
  const { id } = rows[0]
  await inDeployment(2)
  assert.equal(await make(id, invitation.id, hash), false, 'of another deployment')
  await inDeployment(1)
  assert.equal(await make(id, invitation.id, randomBytes(32)), false, 'without the link')
  assert.equal(await make(id, 987_654, hash), false, 'without an invitation')
  await assert.rejects(make(id + 1_000, invitation.id, hash), /taken from its sequence/)
  await assert.rejects(
    tenant.query(`insert into person (email, name, password_hash) values ('planted@example.com', '', '')`),
    /permission denied/,
  )
  assert.equal(await make(id, invitation.id, hash), true)
  const { rows: accounts } = await admin.query('select email, operator from person where id = $1', [id])
  assert.deepEqual(accounts, [{ email: 'bob@example.com', operator: false }])
  assert.equal(await make(id, invitation.id, hash), false, 'an account is not made twice')

  server.child.kill('SIGTERM')
  await server.ended
  await tenant.end()
})
