import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse } from '../../../../test/gatehouse.ts'
import { openChatGatehouse } from '../../../../test/servers/chat-gatehouse.ts'
import { neededScopes } from './app.ts'

let own: Awaited<ReturnType<typeof openChatGatehouse>>
before(async () => {
  own = await openChatGatehouse()
})
after(() => own.close())

const minute = 60_000

test('without the settings the answer names them', async () => {
  const gatehouse = await openGatehouse({ env: { GATEHOUSE_CHAT_CLIENT_ID: 'here' } })
  try {
    const path = `/api/agent/deployments/${gatehouse.owner.deploymentId}/chat`
    const calls = [
      await gatehouse.call('GET', `${path}/install`),
      await gatehouse.call('POST', `${path}/oauth/callback`, { body: { state: 'a', code: 'b' } }),
    ]
    for (const { status, body } of calls) {
      assert.deepEqual([status, body.code], [409, 'not_configured'])
      assert.match(body.detail, /GATEHOUSE_CHAT_CLIENT_SECRET/)
      assert.doesNotMatch(body.detail, /GATEHOUSE_CHAT_CLIENT_ID/)
    }
  } finally {
    await gatehouse.close()
  }
})

test('the address leads to the chat service, with a new state each time, of which only a hash is kept', async () => {
  const addresses = await Promise.all([1, 2].map(async () => (await own.call('GET', '/install')).body.redirect_url))
  const [first, second] = addresses.map((address) => new URL(address))
  assert.equal(first!.origin + first!.pathname, `${own.chat.url}/oauth/v2/authorize`)
  assert.equal(first!.searchParams.get('client_id'), own.chat.app.clientId)
  assert.equal(first!.searchParams.get('redirect_uri'), 'https://gatehouse.example.com/chat/callback')
  assert.deepEqual(first!.searchParams.get('scope')?.split(','), neededScopes)
  const state = first!.searchParams.get('state')!
  assert.equal(Buffer.from(state, 'base64url').length, 32)
  assert.notEqual(state, second!.searchParams.get('state'))
  const db = own.gatehouse.db.as(own.gatehouse.owner)
  const rows = await db.query<{ row: string }>(
    sql`select encode(state_hash, 'hex') || t::text as row from chat_oauth_state t`,
  )
  assert.ok(rows.length >= 2)
  for (const form of [state, Buffer.from(state).toString('hex'), Buffer.from(state, 'base64url').toString('hex')]) {
    assert.ok(rows.every(({ row }) => !row.includes(form)))
  }
})

test('a state is refused to another user, in another deployment, after ten minutes: nothing is installed', async () => {
  const { gatehouse, chat } = own
  const other = await gatehouse.addDeployment()
  const admin = await gatehouse.addPerson('admin')
  const attempts: Record<string, () => Promise<{ status: number; body: { code: string } }>> = {
    'another user': async () => own.complete(await own.approved(), admin.token),
    'another deployment': async () => own.complete(await own.approved(), other.as, other.id),
    'ten minutes later': async () => {
      const approved = await own.approved()
      own.pass(10 * minute)
      return own.complete(approved)
    },
    'a made-up state': async () => own.complete({ ...(await own.approved()), state: 'made-up' }),
  }
  for (const [name, attempt] of Object.entries(attempts)) {
    const before = chat.seen.length
    const { status, body } = await attempt()
    assert.deepEqual([status, body.code], [422, 'unprocessable'], name)
    assert.equal(chat.seen.length, before, `${name}: the chat service was asked`)
  }
  assert.equal((await own.installation()).status, 404)
  assert.equal(
    (await own.installation(await gatehouse.signIn(gatehouse.owner.email, gatehouse.owner.password), other.id)).status,
    404,
  )
  assert.equal(chat.tokens.size, 0)
})

test('who is refused somebody else’s state does not use it up', async () => {
  const admin = await own.gatehouse.addPerson('admin')
  const approved = await own.approved()
  assert.equal((await own.complete(approved, admin.token)).status, 422)
  own.pass(9 * minute)
  assert.equal((await own.complete(approved)).status, 200)
})

test('an installation shows every field, and the token lies sealed in the database', async () => {
  await own.install()
  const jwt = await own.gatehouse.signIn(own.gatehouse.owner.email, own.gatehouse.owner.password)
  const { status, body } = await own.installation(jwt)
  assert.equal(status, 200)
  assert.deepEqual(body, {
    deployment_id: own.gatehouse.owner.deploymentId,
    client_id: own.chat.app.clientId,
    app_id: own.chat.app.id,
    enterprise_name: '',
    enterprise_url: '',
    team_name: 'Sandbox',
    update_available: false,
    archived: false,
  })
  const [row] = await own.gatehouse.db
    .as(own.gatehouse.owner)
    .query<{ all: string }>(sql`select t::text as all from chat_installation t`)
  const [token] = [...own.chat.tokens.keys()]
  assert.ok(row!.all.includes('ciphertext') && !row!.all.includes(token!))
})

test('of twenty callbacks with one state that come together, one gets through', async () => {
  const approved = await own.approved()
  const asked = () => own.chat.seen.filter(({ path }) => path[1] === 'oauth.v2.access').length
  const before = asked()
  const answers = await Promise.all(Array.from({ length: 20 }, () => own.complete(approved)))
  const statuses = answers.map(({ status }) => status).sort()
  assert.deepEqual(statuses, [200, ...Array(19).fill(422)])
  assert.equal(asked(), before + 1)
  assert.equal((await own.complete(approved)).status, 422)
  assert.equal(asked(), before + 1)
})

test('a repetition by Idempotency-Key gets the first answer without a second exchange', async () => {
  const approved = await own.approved()
  const request = { body: approved, headers: { 'idempotency-key': 'install-once' } }
  const first = await own.call('POST', '/oauth/callback', request)
  const before = own.chat.seen.length
  const second = await own.call('POST', '/oauth/callback', request)
  assert.deepEqual([first.status, second.status], [200, 200])
  assert.deepEqual(second.body, first.body)
  assert.equal(own.chat.seen.length, before)
})

test('a person keeps at most ten started installations, and ended ones are forgotten', async () => {
  const admin = await own.gatehouse.addPerson('admin')
  for (let count = 0; count < 13; count++) await own.approved(admin.token)
  const db = own.gatehouse.db.as(own.gatehouse.owner)
  const count = async () => (await db.query(sql`select 1 from chat_oauth_state where person_id = ${admin.id}`)).length
  assert.equal(await count(), 10)
  own.pass(10 * minute)
  await own.approved()
  assert.equal(await count(), 0)
})

test('an organisation-wide installation shows the organisation, and lists channels of a named workspace', async () => {
  const { body } = await own.call('GET', '/install')
  const approved = own.chat.approve(body.redirect_url, {
    team: null,
    enterprise: { id: 'E0ORG', name: 'Org' },
    url: 'https://org.example.com/',
  })
  const former = own.chat.tokens.size
  const answer = await own.complete(approved)
  assert.deepEqual(
    [answer.body.team_name, answer.body.enterprise_name, answer.body.enterprise_url],
    ['', 'Org', 'https://org.example.com/'],
  )
  assert.equal(own.chat.tokens.size, former, 'the token of the former workspace was given back')
  const unnamed = await own.call('GET', '/channels')
  assert.deepEqual([unnamed.status, unnamed.body.code], [422, 'unprocessable'])
  assert.equal((await own.call('GET', '/channels?team=T0SANDBOX')).status, 200)
})
