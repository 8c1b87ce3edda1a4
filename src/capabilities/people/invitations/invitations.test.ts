import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse, tokenOf } from '../../../../test/gatehouse.ts'
import { systemActor } from '../../../kernel/access/actor.ts'

const password = 'correct horse battery'
let ahead = 0
let gatehouse: TestGatehouse
let other: { id: number; as: string }
before(async () => {
  gatehouse = await openGatehouse({ clock: { now: () => new Date(Date.now() + ahead) } })
  other = await gatehouse.addDeployment()
})
after(() => gatehouse.close())

const own = () => ({ id: gatehouse.owner.deploymentId, as: gatehouse.owner.token })
const peopleOf = (id: number) => `/api/people/v1/deployments/${id}/people`
const invitationsOf = (id: number) => `/api/people/v1/deployments/${id}/invitations`

function invite(to: { id: number; as: string }, body: object) {
  return gatehouse.call('POST', peopleOf(to.id), { as: to.as, body })
}

function join(jwt: string, link: string) {
  return gatehouse.call('POST', '/api/people/v1/self/invitations/accept', { as: jwt, body: { token: tokenOf(link) } })
}

async function emailsIn({ id, as }: { id: number; as: string }): Promise<string[]> {
  const { body } = await gatehouse.call('GET', peopleOf(id), { as })
  return body.people.map(({ email }: { email: string }) => email)
}

test('an invited person sets their own password and is in, with the teams for new people', async () => {
  const invited = await invite(own(), { email: 'Ada@example.com', name: 'Ada', role: 'admin' })
  assert.equal(invited.status, 200)
  const { invitation, link } = invited.body
  assert.match(link, /\/invitations#[\w-]{43}$/)
  assert.deepEqual(
    [invitation.email, invitation.name, invitation.role, invitation.delivery, invitation.mailedAt],
    ['Ada@example.com', 'Ada', 'admin', 'link', null],
  )
  assert.equal(Date.parse(invitation.expiresAt) - Date.parse(invitation.createdAt), 7 * 86_400_000)
  assert.ok(!(await emailsIn(own())).includes('Ada@example.com'), 'nobody is in before they accept')

  const shown = await gatehouse.call('POST', '/api/auth/invitations/show', { as: '', body: { token: tokenOf(link) } })
  assert.deepEqual(shown.body, {
    deployment: 'Gatehouse',
    email: 'Ada@example.com',
    name: 'Ada',
    role: 'admin',
    invitedBy: 'owner',
    expiresAt: invitation.expiresAt,
  })
  const joined = await gatehouse.accept(link, password)
  assert.deepEqual(
    [joined.body.deploymentId, joined.body.person.name, joined.body.person.role, joined.body.person.lastSignInAt],
    [own().id, 'Ada', 'admin', null],
  )
  const jwt = await gatehouse.signIn('ada@EXAMPLE.com', password)
  const { teams } = (await gatehouse.call('GET', `/api/permissions/v2/deployments/${own().id}/teams`, { as: jwt })).body
  assert.deepEqual([teams[0].name, teams[0].userCount], ['Everyone', '2'])
})

test('a link works once', async () => {
  const { link } = (await invite(own(), { email: 'once@example.com' })).body
  assert.equal((await gatehouse.accept(link, password)).status, 200)
  const again = await gatehouse.accept(link, 'another long password')
  assert.deepEqual([again.status, again.body.code], [404, 'not_found'])
  await gatehouse.signIn('once@example.com', password)
})

test('a request that adds people takes no password', async () => {
  const answer = await invite(own(), { email: 'x@example.com', password })
  assert.deepEqual([answer.status, answer.body.errors[0].pointer], [400, '/password'])
})

test('an invitation answers the same whether the address has an account or not, and shows nothing of it', async () => {
  const known = await gatehouse.addPerson('member')
  const answers = [await invite(other, { email: known.email }), await invite(other, { email: 'nobody@example.com' })]
  const essence = ({ status, body }: (typeof answers)[number]) => {
    const { id: _, email: __, createdAt: ___, expiresAt: ____, ...invitation } = body.invitation
    return { status, keys: Object.keys(body), invitation, link: typeof body.link }
  }
  assert.deepEqual(essence(answers[0]!), essence(answers[1]!))
  assert.deepEqual([answers[0]!.body.invitation.name, answers[0]!.body.link.length], ['', answers[1]!.body.link.length])
  const shown = await Promise.all(
    answers.map(({ body }) =>
      gatehouse.call('POST', '/api/auth/invitations/show', { as: '', body: { token: tokenOf(body.link) } }),
    ),
  )
  assert.deepEqual(Object.keys(shown[0]!.body), Object.keys(shown[1]!.body))
  assert.equal(shown[0]!.body.name, '')
  assert.ok(!(await emailsIn(other)).includes(known.email))
})

test('an account is joined only by its owner, signed in, and keeps its password', async () => {
  const bob = await gatehouse.addPerson('member')
  const { link } = (await invite(other, { email: bob.email, name: 'Renamed', role: 'admin' })).body
  const taken = await gatehouse.accept(link, 'an entirely new one')
  assert.deepEqual([taken.status, taken.body.code], [409, 'conflict'])
  assert.match(taken.body.detail, /sign in/)
  assert.equal(
    (
      await gatehouse.call('POST', '/api/auth/login', {
        as: '',
        body: { email: bob.email, password: 'an entirely new one' },
      })
    ).status,
    401,
  )
  const stranger = await gatehouse.addPerson('owner')
  const refused = await join(stranger.jwt, link)
  assert.deepEqual([refused.status, refused.body.code], [403, 'forbidden'])
  assert.equal((await join(bob.token, link)).body.code, 'wrong_credential_kind')

  const joined = await join(bob.jwt, link)
  assert.deepEqual([joined.body.person.id, joined.body.person.role], [bob.id, 'admin'])
  assert.notEqual(joined.body.person.name, 'Renamed')
  assert.equal((await join(bob.jwt, link)).status, 404)
  await gatehouse.signIn(bob.email, bob.password)
  // The session that joined is in at once.
  assert.equal((await gatehouse.call('GET', peopleOf(other.id), { as: bob.jwt })).status, 200)
})

test('who registers an address first gets nothing of what others invite it to', async () => {
  const squatted = (await invite(other, { email: 'victim@example.com' })).body.link
  assert.equal((await gatehouse.accept(squatted, 'the attacker knows this')).status, 200)
  const attacker = await gatehouse.signIn('victim@example.com', 'the attacker knows this')
  const { link } = (await invite(own(), { email: 'victim@example.com', role: 'admin' })).body
  // Without the link the account alone does not join.
  assert.equal((await join(attacker, 'guessed#AAAA')).status, 404)
  assert.equal((await gatehouse.call('GET', peopleOf(own().id), { as: attacker })).status, 404)
  assert.ok(!(await emailsIn(own())).includes('victim@example.com'))
  assert.equal((await gatehouse.accept(link, 'the victim has only the link')).status, 409)
})

test('nobody becomes an operator by an invitation, not even by way of an operator account that belongs nowhere', async () => {
  const { email } = await gatehouse.addPerson('owner', other)
  // As an operator who never signed in and was removed everywhere.
  await gatehouse.db.identity((tx) =>
    tx.query(sql`update person set operator = true, last_sign_in_at = null where email = ${email}`),
  )
  const { id } = (await gatehouse.call('GET', peopleOf(other.id), { as: other.as })).body.people.find(
    (each: { email: string }) => each.email === email,
  )
  assert.equal((await gatehouse.call('DELETE', `${peopleOf(other.id)}/${id}`, { as: other.as })).status, 200)
  const { link } = (await invite(other, { email })).body
  assert.equal((await gatehouse.accept(link, 'taken over by somebody')).status, 409)
  const login = await gatehouse.call('POST', '/api/auth/login', {
    as: '',
    body: { email, password: 'taken over by somebody' },
  })
  assert.equal(login.status, 401)

  const fresh = (await invite(other, { email: 'fresh@example.com', role: 'admin' })).body.link
  assert.equal((await gatehouse.accept(fresh, password)).status, 200)
  const jwt = await gatehouse.signIn('fresh@example.com', password)
  const made = await gatehouse.call('POST', '/api/deployments/v1/deployments', { as: jwt, body: { name: 'Mine' } })
  assert.equal(made.status, 403)
})

test('an address is invited once, and not when it belongs here', async () => {
  const member = await gatehouse.addPerson('member')
  const belongs = await invite(own(), { email: member.email.toUpperCase() })
  assert.deepEqual([belongs.status, belongs.body.code], [409, 'conflict'])
  assert.match(belongs.body.detail, /already belongs to this deployment/)
  assert.equal((await invite(own(), { email: 'twice@example.com' })).status, 200)
  const twice = await invite(own(), { email: 'Twice@example.com' })
  assert.equal(twice.status, 409)
  assert.match(twice.body.detail, /already invited/)
})

test('a renewed link takes the place of the old one, a revoked one ends, and the list has what is left', async () => {
  const { invitation, link } = (await invite(own(), { email: 'later@example.com' })).body
  const path = `${invitationsOf(own().id)}/${invitation.id}`
  const renewed = await gatehouse.call('POST', `${path}/renew`)
  assert.equal(renewed.body.invitation.id, invitation.id)
  assert.notEqual(renewed.body.link, link)
  assert.equal((await gatehouse.accept(link, password)).status, 404)
  const listed = async () => (await gatehouse.call('GET', invitationsOf(own().id))).body.invitations
  assert.ok((await listed()).some(({ id }: { id: number }) => id === invitation.id))
  assert.ok(!JSON.stringify(await listed()).includes(tokenOf(renewed.body.link)))

  const stale = await gatehouse.call('DELETE', path, { headers: { 'if-match': '"1"' } })
  assert.equal(stale.status, 412)
  assert.equal((await gatehouse.call('DELETE', path)).body.invitation.email, 'later@example.com')
  assert.equal((await gatehouse.accept(renewed.body.link, password)).status, 404)
  assert.ok(!(await listed()).some(({ id }: { id: number }) => id === invitation.id))
  assert.equal((await gatehouse.call('POST', `${path}/renew`)).status, 404)
})

test('only owners who are signed in invite owners, and only owners renew or revoke what they invited', async () => {
  const admin = await gatehouse.addPerson('admin')
  const body = { email: 'chief@example.com', role: 'owner' }
  for (const as of [admin.token, admin.jwt, gatehouse.owner.token]) {
    assert.equal((await invite({ id: own().id, as }, body)).status, 403)
  }
  const jwt = await gatehouse.signIn(gatehouse.owner.email, gatehouse.owner.password)
  const { invitation } = (await invite({ id: own().id, as: jwt }, body)).body
  const path = `${invitationsOf(own().id)}/${invitation.id}`
  assert.equal((await gatehouse.call('POST', `${path}/renew`, { as: admin.jwt })).status, 403)
  assert.equal((await gatehouse.call('DELETE', path, { as: admin.jwt })).status, 403)
})

test('an invitation is void when who sent it is removed, or may no longer invite', async () => {
  const admin = await gatehouse.addPerson('admin')
  const sent = await invite({ id: own().id, as: admin.token }, { email: 'orphan@example.com' })
  const path = `${peopleOf(own().id)}/${admin.id}`
  assert.equal((await gatehouse.call('PATCH', path, { body: { role: 'member' } })).status, 200)
  assert.equal((await gatehouse.accept(sent.body.link, password)).status, 404)
  assert.equal((await gatehouse.call('PATCH', path, { body: { role: 'admin' } })).status, 200)
  assert.equal((await gatehouse.call('DELETE', path)).status, 200)
  assert.equal((await gatehouse.accept(sent.body.link, password)).status, 404)
  const target = `invitation:${sent.body.invitation.id}`
  const log = `/api/audit/v1/deployments/${own().id}/events?action=invitation.revoke&target=${target}`
  const [revoked] = (await gatehouse.call('GET', log)).body.events
  assert.deepEqual(revoked?.detail, { email: 'orphan@example.com', inviterLeft: admin.id })

  const owner = await gatehouse.addPerson('owner')
  const chief = await invite({ id: own().id, as: owner.jwt }, { email: 'chief-2@example.com', role: 'owner' })
  const demoted = await gatehouse.call('PATCH', `${peopleOf(own().id)}/${owner.id}`, { body: { role: 'admin' } })
  assert.equal(demoted.status, 200)
  assert.equal((await gatehouse.accept(chief.body.link, password)).status, 404)
})

test('inviting, renewing, revoking and accepting are in the audit log, without the link', async () => {
  const { id, as } = await gatehouse.addDeployment()
  const { invitation } = (await invite({ id, as }, { email: 'audited@example.com' })).body
  const { link } = (await gatehouse.call('POST', `${invitationsOf(id)}/${invitation.id}/renew`, { as })).body
  assert.equal((await gatehouse.accept(link, password)).status, 200)
  const gone = (await invite({ id, as }, { email: 'gone@example.com' })).body
  await gatehouse.call('DELETE', `${invitationsOf(id)}/${gone.invitation.id}`, { as })
  const { events } = (await gatehouse.call('GET', `/api/audit/v1/deployments/${id}/events`, { as })).body
  const actions = events.map(({ action }: { action: string }) => action)
  for (const action of ['invitation.create', 'invitation.renew', 'invitation.accept', 'invitation.revoke'])
    assert.ok(actions.includes(action), action)
  assert.ok(!JSON.stringify(events).includes(tokenOf(link)))
})

test('a deployment has at most a thousand invitations', async () => {
  const { id, as } = await gatehouse.addDeployment()
  await gatehouse.db.transaction(systemActor(id, 'test'), (tx) =>
    tx.query(sql`insert into invitation
        (deployment_id, email, name, role, delivery, token_hash, invited_by, created_at, expires_at)
      select ${id}, n || '@example.com', '', 'member', 'link', sha256(n::text::bytea), membership.person_id, now(),
        now() + interval '1 day'
      from generate_series(1, 1000) n, membership where membership.deployment_id = ${id}`),
  )
  const answer = await invite({ id, as }, { email: 'one-too-many@example.com' })
  assert.deepEqual([answer.status, answer.body.code], [409, 'conflict'])
})

test('after twenty links a minute that do not work an address waits', async () => {
  const guess = (token: string) => gatehouse.call('POST', '/api/auth/invitations/show', { as: '', body: { token } })
  const answers = []
  for (let i = 0; i < 25; i++) answers.push(await guess(`guess-${i}`))
  assert.equal(answers[0]!.status, 404)
  assert.equal(answers.at(-1)!.status, 429)
  assert.ok(Number(answers.at(-1)!.headers.get('retry-after')) > 0)
  ahead += 61_000
  assert.equal((await guess('after a minute')).status, 404)
})

test('a link ends after seven days, and the address can be invited again', async () => {
  const { link, invitation } = (await invite(own(), { email: 'slow@example.com' })).body
  ahead += 7 * 86_400_000
  assert.equal((await gatehouse.accept(link, password)).status, 404)
  const again = await invite(own(), { email: 'slow@example.com' })
  assert.equal(again.status, 200)
  assert.notEqual(again.body.invitation.id, invitation.id)
  assert.equal((await gatehouse.accept(again.body.link, password)).status, 200)
})
