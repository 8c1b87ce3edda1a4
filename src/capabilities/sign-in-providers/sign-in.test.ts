import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { personAtProvider, startOpenIdProvider } from '../../../test/outside/openid-provider.ts'
import { systemActor } from '../../kernel/access/actor.ts'
import { addProvider, browserAt, providerEnv, setUp } from './test-sign-in.ts'

const lines: string[] = []
let gatehouse: TestGatehouse
let company: Awaited<ReturnType<typeof startOpenIdProvider>>
let provider: { id: number; redirectUri: string }
let team: number
before(async () => {
  company = await startOpenIdProvider()
  gatehouse = await openGatehouse({ env: providerEnv, log: (line) => void lines.push(line) })
  const teams = `/api/permissions/v2/deployments/${gatehouse.owner.deploymentId}/teams`
  team = (await gatehouse.call('POST', teams, { body: { team: { name: 'Payments' } } })).body.team.id
  const mapping = [
    { group: 'admins', role: 'admin', teams: [] },
    { group: 'payments', role: null, teams: [team] },
  ]
  provider = await addProvider(gatehouse, setUp(company.url, { mapping }))
  company.register(provider.redirectUri)
})
after(async () => {
  await company.close()
  await gatehouse.close()
})

/** The whole way there and back, as a browser goes it. */
async function signIn(login: string, browser = browserAt(gatehouse), body: object = {}) {
  const back = await personAtProvider(login).visit(await browser.start(provider.id, body))
  return { back, browser, answer: await browser.finish(provider.id, back.search) }
}

async function eventsOf(personId: number): Promise<string[]> {
  const path = `/api/audit/v1/deployments/${gatehouse.owner.deploymentId}/events?pageSize=200`
  const { events } = (await gatehouse.call('GET', path)).body
  return events
    .filter(({ target }: { target: string }) => target === `person:${personId}`)
    .map(({ action }: { action: string }) => action)
}

test('somebody new signs in at the provider and is a member with the roles and teams of their groups', async () => {
  company.people.set('ada', {
    email: 'ada@corp.example',
    email_verified: true,
    name: 'Ada',
    groups: ['admins', 'payments'],
  })
  const { answer, browser, back } = await signIn('ada')
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  assert.equal(answer.body.outcome, 'signed-in')
  const me = (await browser.me()).body
  assert.deepEqual([me.person.email, me.person.name, me.operator], ['ada@corp.example', 'Ada', false])
  assert.deepEqual(me.session.provider, { id: provider.id, name: 'Company' })
  assert.deepEqual(
    me.deployments.map(({ role }: { role: string }) => role),
    ['admin'],
  )
  const actions = await eventsOf(me.person.id)
  for (const action of ['person.create', 'person.join', 'person.groups', 'person.sign-in'])
    assert.ok(actions.includes(action), `${action} is in ${actions}`)
  // Nothing that opens anything is in the log.
  for (const secret of [back.searchParams.get('code')!, back.searchParams.get('state')!, ...browser.jar.values()])
    assert.ok(!lines.some((line) => line.includes(secret)))
})

test('what the groups give is worked out again at every sign-in, and taken away when it is lost', async () => {
  company.people.set('bob', { email: 'bob@corp.example', email_verified: true, groups: ['admins', 'payments'] })
  const { browser } = await signIn('bob')
  const { person } = (await browser.me()).body
  assert.deepEqual(await memberOf(person.id), { role: 'admin', inTeam: true })
  company.people.set('bob', { email: 'bob@corp.example', email_verified: true, groups: [] })
  await signIn('bob')
  assert.deepEqual(await memberOf(person.id), { role: 'member', inTeam: false })
})

async function memberOf(personId: number) {
  const { deploymentId } = gatehouse.owner
  const { people } = (await gatehouse.call('GET', `/api/people/v1/deployments/${deploymentId}/people`)).body
  const path = `/api/permissions/v2/deployments/${deploymentId}/teams/${team}/members`
  const members: { userId: number }[] = (await gatehouse.call('GET', path)).body.members
  return {
    role: people.find(({ id }: { id: number }) => id === personId)?.role,
    inTeam: members.some(({ userId }) => userId === personId),
  }
}

test('who is suspended in the deployment of the provider is told so, and gets no session', async () => {
  company.people.set('gone', { email: 'gone@corp.example', email_verified: true })
  const { person } = (await (await signIn('gone')).browser.me()).body
  const suspend = (since: Date | null) =>
    gatehouse.db.transaction(systemActor(gatehouse.owner.deploymentId, 'test'), (tx) =>
      tx.query(sql`update membership set suspended_at = ${since}
        where deployment_id = ${tx.deploymentId} and person_id = ${person.id}`),
    )
  const isRefused = async () => {
    const { answer, browser } = await signIn('gone')
    assert.equal(answer.status, 403, JSON.stringify(answer.body))
    assert.match(answer.body.detail, /suspended/)
    assert.equal((await browser.me()).status, 401)
  }
  await suspend(new Date())
  await isRefused()
  // Also where another deployment has them: the provider speaks for its own.
  const elsewhere = await gatehouse.addDeployment()
  await gatehouse.db.transaction(systemActor(elsewhere.id, 'test'), (tx) =>
    tx.query(
      sql`insert into membership (deployment_id, person_id, role) values (${tx.deploymentId}, ${person.id}, 'member')`,
    ),
  )
  await isRefused()
  await suspend(null)
  assert.equal((await signIn('gone')).answer.status, 200)
})

test('the subject is who it is: a new address at the provider is the same account', async () => {
  company.people.set('eve', { email: 'eve@corp.example', email_verified: true })
  const before = (await (await signIn('eve')).browser.me()).body.person.id
  company.people.set('eve', { email: 'eve.married@corp.example', email_verified: true })
  assert.equal((await (await signIn('eve')).browser.me()).body.person.id, before)
})

test('a code counts once, and only in the browser that asked for it', async () => {
  company.people.set('fay', { email: 'fay@corp.example', email_verified: true })
  const browser = browserAt(gatehouse)
  const back = await personAtProvider('fay').visit(await browser.start(provider.id))
  // Somebody lures another browser to the address that the provider sent this one back to.
  const victim = browserAt(gatehouse)
  await victim.start(provider.id)
  for (const other of [browserAt(gatehouse), victim]) {
    const answer = await other.finish(provider.id, back.search)
    assert.equal(answer.status, 403)
    assert.ok(!other.jar.has('__Host-gatehouse'))
  }
  assert.equal((await browser.finish(provider.id, back.search)).status, 200)
  assert.equal((await browser.finish(provider.id, back.search)).status, 403)
  // With a sign-in of its own, but the code of before.
  const again = new URL(await browser.start(provider.id))
  const replayed = new URLSearchParams(back.search)
  replayed.set('state', again.searchParams.get('state')!)
  assert.equal((await browser.finish(provider.id, `?${replayed}`)).status, 403)
})

test('the session is always a new one, and the one that the browser had ends', async () => {
  company.people.set('gus', { email: 'gus@corp.example', email_verified: true })
  const browser = browserAt(gatehouse)
  const { email, password } = gatehouse.owner
  await browser.call('POST', '/api/auth/session', { email, password })
  const planted = browser.jar.get('__Host-gatehouse')!
  await signIn('gus', browser)
  assert.notEqual(browser.jar.get('__Host-gatehouse'), planted)
  assert.equal((await browser.me()).body.person.email, 'gus@corp.example')
  const old = browserAt(gatehouse)
  old.jar.set('__Host-gatehouse', planted)
  assert.equal((await old.me()).status, 401)
})

test('new keys of the provider count at once', async () => {
  company.people.set('hal', { email: 'hal@corp.example', email_verified: true })
  assert.equal((await signIn('hal')).answer.status, 200)
  await company.rotate()
  assert.equal((await signIn('hal')).answer.status, 200)
})

test('one goes on within the console and nowhere else', async () => {
  company.people.set('ida', { email: 'ida@corp.example', email_verified: true })
  const wanted = [
    ['/d/first/findings?severity=high', '/d/first/findings?severity=high'],
    ['https://evil.example/', '/'],
    ['//evil.example/', '/'],
    ['/\\evil.example/', '/'],
    ['/d/../../api/auth/session', '/'],
    ['/d/\t/evil.example', '/'],
    ['javascript:alert(1)', '/'],
  ]
  for (const [returnTo, expected] of wanted) {
    const { answer } = await signIn('ida', browserAt(gatehouse), { returnTo })
    assert.equal(answer.body.returnTo, expected, returnTo)
  }
})

test('to confirm something dangerous the provider asks again, and the session is confirmed', async () => {
  company.people.set('jan', { email: 'jan@corp.example', email_verified: true })
  const browser = browserAt(gatehouse)
  const url = await browser.start(provider.id, { confirms: true })
  assert.deepEqual([new URL(url).searchParams.get('prompt'), new URL(url).searchParams.get('max_age')], ['login', '0'])
  const back = await personAtProvider('jan').visit(url)
  const { session } = (await browser.finish(provider.id, back.search)).body
  assert.ok(new Date(session.confirmedUntil) > new Date())
})

test('what the provider refuses is said in a sentence, with no more than its own words', async () => {
  const browser = browserAt(gatehouse)
  const url = new URL(await browser.start(provider.id))
  const parameters = new URLSearchParams({
    error: 'access_denied',
    error_description: 'You are\nnot assigned <b>',
    state: url.searchParams.get('state')!,
    iss: company.url,
  })
  const answer = await browser.finish(provider.id, `?${parameters}`)
  assert.equal(answer.status, 403)
  assert.match(
    answer.body.detail,
    /^You were not signed in by Company\. It answers “access_denied”: “You are not assigned/,
  )
})

test('buttons are found by domain, and say nothing about accounts', async () => {
  const hidden = await addProvider(
    gatehouse,
    setUp(company.url, { name: 'Quiet', listed: false, domains: ['quiet.example'] }),
  )
  const list = async (query: string) =>
    (await gatehouse.call('GET', `/api/auth/providers${query}`, { as: '' })).body.providers
  assert.deepEqual(await list(''), [{ id: provider.id, name: 'Company' }])
  assert.deepEqual(await list('?domain=QUIET.example'), [
    { id: provider.id, name: 'Company' },
    { id: hidden.id, name: 'Quiet' },
  ])
})
