import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import sql from 'sql-template-tag'
import { openChatGatehouse } from '../../../../test/servers/chat-gatehouse.ts'
import { createKeyRotation } from '../../../vault/rotation/key-rotation.ts'
import { isOutdated, neededScopes } from './app.ts'

let own: Awaited<ReturnType<typeof openChatGatehouse>>
before(async () => {
  own = await openChatGatehouse()
  own.chat.channels.push(
    { id: 'C1', name: 'general', is_private: false, is_member: false, is_archived: false },
    { id: 'C2', name: 'old', is_private: false, is_member: false, is_archived: true },
    { id: 'C3', name: 'security', is_private: true, is_member: true, is_archived: false },
    { id: 'C4', name: 'random', is_private: false, is_member: true, is_archived: false },
  )
})
beforeEach(async () => {
  own.chat.control.trouble = undefined
  await own.install()
})
after(() => own.close())

test('channels come page by page, without archived ones', async () => {
  const first = await own.call('GET', '/channels?pageSize=2')
  assert.deepEqual(first.body.channels, [
    { id: 'C1', name: 'general', is_private: false, is_member: false },
    { id: 'C3', name: 'security', is_private: true, is_member: true },
  ])
  const next = await own.call('GET', `/channels?pageSize=2&cursor=${encodeURIComponent(first.body.cursor)}`)
  assert.deepEqual([next.body.channels.map(({ id }: { id: string }) => id), next.body.cursor], [['C4'], ''])
})

test('a test message is really posted, once for an Idempotency-Key', async () => {
  const request = { body: { channel: 'C1' }, headers: { 'idempotency-key': 'test-once' } }
  const first = await own.call('POST', '/test-message', request)
  const second = await own.call('POST', '/test-message', request)
  assert.equal(first.status, 200)
  assert.deepEqual(second.body, first.body)
  assert.equal(own.chat.messages.length, 1)
  assert.match(own.chat.messages[0]!.text, /test message from Gatehouse/)
})

test('a rotation of keys takes the token along', async () => {
  const { deploymentId } = own.gatehouse.owner
  const rotation = await createKeyRotation(own.gatehouse, 'a test').rotateDeployment(deploymentId)
  assert.equal(rotation.moved, 1)
  assert.equal((await own.call('GET', '/channels')).status, 200)
})

test('a channel that is not there is named as the reason', async () => {
  const answer = await own.call('POST', '/test-message', { body: { channel: 'C9' } })
  assert.deepEqual([answer.status, answer.body.code], [422, 'unprocessable'])
  assert.match(answer.body.detail, /channel_not_found/)
})

const troubles: Record<string, [object, number, string]> = {
  'an error of its own': [{ status: 500, body: 'oops' }, 503, 'unavailable'],
  'a page for people': [{ body: '<html>' }, 503, 'unavailable'],
  'too many requests': [{ status: 429, headers: { 'retry-after': '17' }, body: {} }, 429, 'too_many_requests'],
  'JSON of another kind': [{ body: [1] }, 503, 'unavailable'],
}
for (const [name, [reply, status, code]] of Object.entries(troubles)) {
  test(`the chat service answers with ${name}: ${status}, and the installation stays`, async () => {
    own.chat.control.trouble = () => reply
    const answer = await own.call('GET', '/channels')
    assert.deepEqual([answer.status, answer.body.code], [status, code])
    assert.equal(answer.headers.get('retry-after'), status === 429 ? '17' : '30')
    assert.equal((await own.installation()).body.archived, false)
  })
}

test('access that was taken back at the chat service archives the installation', async () => {
  own.chat.removeApp()
  const answer = await own.call('GET', '/channels')
  assert.deepEqual([answer.status, answer.body.code], [409, 'conflict'])
  assert.equal((await own.installation()).body.archived, true)
  const before = own.chat.seen.length
  assert.equal((await own.call('POST', '/test-message', { body: { channel: 'C1' } })).status, 409)
  assert.equal(own.chat.seen.length, before)
  await own.install()
  assert.equal((await own.installation()).body.archived, false)
})

test('uninstalling gives the token back, forgets it, and can be repeated', async () => {
  const token = [...own.chat.tokens.keys()][0]!
  const first = await own.call('DELETE', '/installations')
  assert.deepEqual([first.status, first.body.revoked, first.body.installation.archived], [200, true, true])
  assert.ok(!own.chat.tokens.has(token))
  const [row] = await own.gatehouse.db.as(own.gatehouse.owner).query(sql`select bot_token from chat_installation`)
  assert.deepEqual(row, { bot_token: null })
  assert.equal((await own.call('DELETE', '/installations')).status, 200)
  const uninstalls = (await own.auditLog()).filter(({ action }) => action === 'chat.uninstall')
  assert.equal(uninstalls.length, 1)
})

test('uninstalling works while the chat service does not, and says so', async () => {
  own.chat.control.trouble = () => ({ status: 503, body: '' })
  const answer = await own.call('DELETE', '/installations')
  assert.deepEqual([answer.status, answer.body.revoked, answer.body.installation.archived], [200, false, true])
})

test('uninstalling with an old If-Match changes nothing, here and there', async () => {
  const answer = await own.call('DELETE', '/installations', { headers: { 'if-match': '"0"' } })
  assert.equal(answer.status, 412)
  assert.equal((await own.installation()).body.archived, false)
  assert.equal((await own.call('GET', '/channels')).status, 200)
})

test('the token is sent to the chat service it came from, whatever the settings say later', async () => {
  await own.gatehouse.db.transaction(
    { ...own.gatehouse.owner, personId: 1, tokenId: 0, role: 'owner', permissions: new Set(), requestId: 'test' },
    (tx) => tx.query(sql`update chat_installation set provider_url = 'http://127.0.0.1:1'`),
  )
  const before = own.chat.seen.length
  assert.equal((await own.call('GET', '/channels')).status, 503)
  assert.equal(own.chat.seen.length, before)
  assert.equal((await own.installation()).body.update_available, true)
})

const installed = { scopes: neededScopes, clientId: 'a', providerUrl: 'https://chat' }
const settings = { clientId: 'a', clientSecret: 'b', url: 'https://chat' }
const outdated: [string, typeof installed, object, boolean][] = [
  ['all as it should be', installed, {}, false],
  ['more than is needed', { ...installed, scopes: [...neededScopes, 'users:read'] }, {}, false],
  ['a permission is lacking', { ...installed, scopes: neededScopes.slice(1) }, {}, true],
  ['another app', installed, { clientId: 'c' }, true],
  ['another chat service', installed, { url: 'https://other' }, true],
  ['no app in the settings any more', installed, { clientId: undefined }, false],
]
for (const [name, row, now, expected] of outdated) {
  test(`update available: ${name}`, () => assert.equal(isOutdated(row, { ...settings, ...now }), expected))
}
