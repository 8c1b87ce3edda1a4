import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { openChatGatehouse } from '../../../../test/servers/chat-gatehouse.ts'
import type { Actor } from '../../../kernel/access/actor.ts'
import { permissionNames } from '../../../kernel/access/permission.ts'
import { createOutbound } from '../../../outbound/client/client.ts'
import type { SandboxAnswer } from '../../../sandbox/local-server.ts'
import { createChatService } from '../service.ts'

let own: Awaited<ReturnType<typeof openChatGatehouse>>
before(async () => {
  own = await openChatGatehouse()
})
beforeEach(() => {
  own.chat.control.trouble = undefined
  own.chat.control.moreAccess = undefined
})
after(() => own.close())

async function assertNothingInstalled(): Promise<void> {
  assert.equal((await own.installation()).status, 404)
  assert.equal(own.chat.tokens.size, 0, 'access is left at the chat service')
}

const replies: Record<string, [SandboxAnswer, RegExp]> = {
  'refuses the code': [{ body: { ok: false, error: 'invalid_code' } }, /invalid_code/],
  'refuses in a way of its own': [{ body: { ok: false, error: 'Bad: xoxb-leaked' } }, /no known error/],
  'has an error of its own': [{ status: 500, body: { ok: true } }, /answered 500/],
  'answers with a page for people': [{ body: '<html><title>Sign in</title>' }, /did not answer like a chat service/],
  'redirects elsewhere': [{ status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: '' }, /redirects/],
}
for (const [method, step] of [
  ['oauth.v2.access', 'exchange'],
  ['auth.test', 'try out'],
] as const) {
  for (const [name, [reply, expected]] of Object.entries(replies)) {
    test(`the chat service ${name} at ${method}: it says so, and nothing is left`, async () => {
      own.chat.control.trouble = (asked) => (asked === method ? reply : undefined)
      const answer = await own.complete(await own.approved())
      assert.deepEqual([answer.status, answer.body.code], [422, 'unprocessable'])
      assert.ok(answer.body.detail.startsWith(`The step '${step}' failed: `), answer.body.detail)
      assert.match(answer.body.detail, expected)
      assert.doesNotMatch(JSON.stringify(answer.body), /xoxb/)
      await assertNothingInstalled()
    })
  }

  test(`the chat service is slow at ${method}: it is given up, and nothing is left`, async () => {
    const outbound = createOutbound({ allow: '127.0.0.1' })
    const { db, ring, owner } = own.gatehouse
    const app = { ...own.chat.app, url: own.chat.url }
    const publicUrl = 'https://gatehouse.example.com'
    const chat = createChatService({ db, ring, outbound, clock: own.clock, publicUrl, app, timeoutMs: 200 })
    const { deploymentId } = owner
    const actor: Actor = {
      deploymentId,
      personId: 1,
      tokenId: 0,
      role: 'owner',
      permissions: new Set(permissionNames),
      requestId: 'slow',
    }
    const approved = own.chat.approve(await chat.start(actor))
    own.chat.control.trouble = (asked) => (asked === method ? new Promise<never>(() => {}) : undefined)
    try {
      await assert.rejects(chat.complete(actor, approved), { code: 'unprocessable' })
      await assertNothingInstalled()
    } finally {
      await outbound.close()
    }
  })
}

test('the database fails at the end: the access is given back', async () => {
  const { db, ring, owner } = own.gatehouse
  const outbound = createOutbound({ allow: '127.0.0.1' })
  let broken = false
  const failing = {
    ...db,
    transaction: ((actor, work) => {
      if (broken) throw new Error('on purpose')
      return db.transaction(actor, work)
    }) as typeof db.transaction,
  }
  const app = { ...own.chat.app, url: own.chat.url }
  const publicUrl = 'https://gatehouse.example.com'
  const chat = createChatService({ db: failing, ring, outbound, clock: own.clock, publicUrl, app })
  const { deploymentId } = owner
  const actor: Actor = {
    deploymentId,
    personId: 1,
    tokenId: 0,
    role: 'owner',
    permissions: new Set(permissionNames),
    requestId: 'broken',
  }
  const approved = own.chat.approve(await chat.start(actor))
  own.chat.control.trouble = (method) => {
    if (method === 'auth.test') broken = true
    return undefined
  }
  try {
    await assert.rejects(chat.complete(actor, approved), /on purpose/)
    await assertNothingInstalled()
  } finally {
    await outbound.close()
  }
})

const strange: Record<string, Record<string, unknown>> = {
  'no bot token': { token_type: 'user' },
  'a token that could forge a header': { access_token: 'xoxb-1\r\nx: y' },
  'a token that would expire': { expires_in: 43_200, refresh_token: 'xoxe-1' },
}
for (const [name, more] of Object.entries(strange)) {
  test(`the exchange gives ${name}: it is refused`, async () => {
    own.chat.control.moreAccess = more
    const answer = await own.complete(await own.approved())
    assert.equal(answer.status, 422)
    assert.match(answer.body.detail, /^The step 'exchange' failed/)
    assert.equal((await own.installation()).status, 404)
    own.chat.removeApp()
  })
}

test('names from the chat service are cut and cleaned, whatever they are', async () => {
  own.chat.control.moreAccess = { team: { id: 'T1', name: `a\u0000\u001b[2J\ud800${'b'.repeat(2000)}` }, enterprise: 7 }
  const answer = await own.complete(await own.approved())
  assert.equal(answer.status, 200)
  assert.equal(answer.body.team_name.length, 500)
  assert.match(answer.body.team_name, /^a {2}\[2J\ufffdb+$/)
})

test('no answer, log line or audit event holds the code, the state, the token or the client secret', async () => {
  const approved = await own.approved()
  await own.complete(approved)
  own.chat.control.trouble = () => ({ status: 500, body: '' })
  const failed = await own.approved()
  const answers = [await own.complete(failed), await own.installation(), await own.call('GET', '/channels')]
  const text = JSON.stringify([answers.map(({ body }) => body), own.lines, await own.auditLog()])
  assert.ok(own.lines.length > 5)
  const secrets = [...own.chat.tokens.keys(), own.chat.app.clientSecret]
  for (const { state, code } of [approved, failed]) secrets.push(state, code)
  assert.equal(secrets.length, 6)
  for (const secret of secrets) assert.ok(!text.includes(secret))
})
