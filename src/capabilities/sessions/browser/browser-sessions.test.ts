import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { type Answer, openGatehouse, type Request, type TestGatehouse } from '../../../../test/gatehouse.ts'

let now = new Date('2026-03-01T10:00:00Z')
const lines: string[] = []
let gatehouse: TestGatehouse
before(async () => {
  const log = (line: string) => void lines.push(line)
  gatehouse = await openGatehouse({ clock: { now: () => now }, env: { GATEHOUSE_TRUST_PROXY: '127.0.0.1' }, log })
})
after(() => gatehouse.close())

const path = '/api/auth/session'
const ownPage = { 'sec-fetch-site': 'same-origin' }
const later = (ms: number) => (now = new Date(now.getTime() + ms))
const hour = 3_600_000

type Browser = { email: string; password: string; cookie?: string; from?: string }

/** Signs in as a browser would; what it keeps is `gatehouse=…`. */
async function open({
  email,
  password,
  cookie,
  from = '192.0.2.1',
}: Browser): Promise<{ answer: Answer; cookie: string }> {
  const headers = { ...ownPage, 'x-forwarded-for': from, ...(cookie ? { cookie } : {}) }
  const answer = await gatehouse.call('POST', path, { as: '', headers, body: { email, password } })
  return { answer, cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '' }
}

function ask(cookie: string, method = 'GET', to = path, more: Request = {}): Promise<Answer> {
  return gatehouse.call(method, to, { as: '', ...more, headers: { ...ownPage, cookie, ...more.headers } })
}

const owner = () => ({ email: gatehouse.owner.email, password: gatehouse.owner.password })

test('a sign-in sets a cookie that no script reads and no other site sends, and the database has its hash alone', async () => {
  const { answer, cookie } = await open(owner())
  assert.equal(answer.status, 200)
  assert.match(
    answer.headers.get('set-cookie')!,
    /^gatehouse=gths_[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/,
  )
  assert.ok(!JSON.stringify(answer.body).includes('gths_'))
  const rows = await gatehouse.db.identityQuery(sql`select * from session where cookie_hash is not null`)
  assert.ok(rows.length > 0)
  const kept = rows.flatMap((row) => Object.values(row as object)).map((value) => String(value))
  assert.ok(!kept.some((text) => text.includes(cookie.slice('gatehouse=gths_'.length))))
  assert.ok(!lines.join().includes('gths_'))
})

test('it stands for the person: who, where, what they may do, and what is configured', async () => {
  const { cookie, answer } = await open(owner())
  const { status, body } = await ask(cookie)
  assert.equal(status, 200)
  const { permissions, ...deployment } = body.deployments[0]
  assert.deepEqual(deployment, {
    id: gatehouse.owner.deploymentId,
    name: deployment.name,
    slug: deployment.slug,
    role: 'owner',
  })
  assert.ok(permissions.includes('audit:read') && deployment.name && deployment.slug)
  assert.deepEqual(
    [body.kind, body.person.email, body.session],
    ['session', gatehouse.owner.email, answer.body.session],
  )
  assert.match(body.server.version, /^\d+\.\d+\.\d+/)
  assert.deepEqual([body.configured.mail, body.configured.chat, body.configured.malwareFeeds], [false, false, 0])
  const boards = `/api/agent/deployments/${gatehouse.owner.deploymentId}/ruleboards`
  assert.equal((await ask(cookie, 'GET', boards)).status, 200)
  const made = await ask(cookie, 'POST', '/api/deployments/v1/deployments', { body: { name: 'By cookie' } })
  assert.equal(made.status, 200)
  assert.ok((await ask(cookie)).body.deployments.some(({ name }: { name: string }) => name === 'By cookie'))
  const byToken = await gatehouse.call('GET', path)
  assert.deepEqual([byToken.body.kind, byToken.body.session], ['token', null])
})

test('with an Authorization header the cookie is not looked at, and one is not the other', async () => {
  const { cookie } = await open(owner())
  const secret = cookie.slice('gatehouse='.length)
  const statusOf = async (headers: Record<string, string>) =>
    (await gatehouse.call('GET', path, { as: '', headers: { ...ownPage, ...headers } })).status
  assert.equal(await statusOf({ cookie, authorization: 'Bearer wrong' }), 401)
  assert.equal(await statusOf({ cookie, authorization: '' }), 401)
  assert.equal(await statusOf({ authorization: `Bearer ${secret}` }), 401)
  assert.equal(await statusOf({ cookie: `gatehouse=${gatehouse.owner.token}` }), 401)
  assert.equal(await statusOf({ cookie: `gatehouse=${gatehouse.owner.jwt}` }), 401)
  assert.equal(await statusOf({ cookie: `__Host-${cookie}` }), 401)
  assert.equal(await statusOf({ cookie: `${cookie}; gatehouse=gths_planted` }), 401)
  assert.equal(await statusOf({ cookie: `theme=dark; ${cookie}` }), 200)
})

test('a sign-in makes another session, and the one that the browser had is over', async () => {
  const first = await open(owner())
  const second = await open({ ...owner(), cookie: first.cookie })
  assert.notEqual(first.cookie, second.cookie)
  assert.equal((await ask(second.cookie)).status, 200)
  assert.equal((await endedWithinASecond(first.cookie)).body.code, 'token_revoked')
})

/** On this process the memory of half a second may still be in the way. */
async function endedWithinASecond(cookie: string): Promise<Answer> {
  for (let tries = 0; ; tries++) {
    const answer = await ask(cookie)
    if (answer.status === 401 || tries === 100) return answer
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

test('it ends everywhere: by signing out, by a new password elsewhere, by leaving the deployment', async () => {
  const other = await gatehouse.anotherProcess()
  try {
    const signedOut = (await open(owner())).cookie
    const elsewhere = (cookie: string) => other.call('GET', path, { as: '', headers: { cookie } })
    assert.equal((await elsewhere(signedOut)).status, 200)
    const gone = await ask(signedOut, 'DELETE')
    assert.deepEqual([gone.status, gone.body], [200, { signedOut: true }])
    assert.match(gone.headers.get('set-cookie')!, /^gatehouse=; Max-Age=0; Path=\/; HttpOnly; SameSite=Strict$/)
    assert.equal((await ask(signedOut)).status, 401)
    for (let tries = 0; (await elsewhere(signedOut)).status !== 401; tries++) {
      assert.ok(tries < 100)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    const person = await gatehouse.addPerson('member')
    const [one, two] = [(await open(person)).cookie, (await open(person)).cookie]
    const change = { current: person.password, next: 'another long password' }
    assert.equal((await ask(one, 'POST', '/api/people/v1/self/password', { body: change })).status, 200)
    assert.equal((await ask(one)).status, 200)
    assert.equal((await endedWithinASecond(two)).body.code, 'token_revoked')
    await gatehouse.call('DELETE', `/api/people/v1/deployments/${gatehouse.owner.deploymentId}/people/${person.id}`)
    for (let tries = 0; (await ask(one)).body.deployments?.length !== 0; tries++) {
      assert.ok(tries < 100)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  } finally {
    await other.close()
  }
})

test('it ends after twelve hours without use, and after thirty days with', async () => {
  const { cookie: idle } = await open(owner())
  const { cookie: used } = await open(owner())
  for (let hours = 0; hours < 11; hours += 11) later(11 * hour)
  assert.equal((await ask(used)).status, 200)
  later(hour + 1)
  assert.deepEqual([(await ask(idle)).status, (await ask(idle)).body.code], [401, 'token_expired'])
  for (let hours = 12; hours < 30 * 24; hours += 11) {
    assert.equal((await ask(used)).status, 200, `after ${hours} hours`)
    later(11 * hour)
  }
  assert.equal((await ask(used)).body.code, 'token_expired')
})

test('failed sign-ins are limited, as where a program signs in', async () => {
  const person = await gatehouse.addPerson('member')
  const wrong = () => open({ email: person.email, password: 'wrong', from: '198.51.100.77' })
  for (let tries = 0; tries < 10; tries++) assert.equal((await wrong()).answer.status, 401)
  const refused = (await wrong()).answer
  assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_requests'])
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
})

const tokens = () => `/api/tokens/v1/deployments/${gatehouse.owner.deploymentId}/tokens`

test('what is dangerous asks for the password again after five minutes, in a browser alone', async () => {
  const { cookie } = await open(owner())
  const repository = async () => {
    const body = { name: `danger/zone-${Math.random().toString(36).slice(2)}` }
    const made = await gatehouse.call(
      'POST',
      `/api/repositories/v1/deployments/${gatehouse.owner.deploymentId}/repositories`,
      {
        body,
      },
    )
    return `/api/repositories/v1/deployments/${gatehouse.owner.deploymentId}/repositories/${made.body.repository.id}`
  }
  const person = await gatehouse.addPerson('member')
  const people = `/api/people/v1/deployments/${gatehouse.owner.deploymentId}/people`
  const dangerous: [string, string, unknown][] = [
    ['POST', tokens(), { name: 'all' }],
    ['POST', tokens(), { name: 'read', scopes: ['findings:read'] }],
    ['POST', tokens(), { name: 'read besides', scopes: ['packages:read', 'findings:read'] }],
    ['PATCH', `${people}/${person.id}`, { role: 'readonly' }],
    ['POST', people, { email: 'boss@example.com', role: 'admin' }],
    ['POST', `${people}/${person.id}/reset-link`, undefined],
    ['DELETE', await repository(), undefined],
  ]
  later(5 * 60_000)
  for (const [method, to, body] of dangerous) {
    const refused = await ask(cookie, method, to, body ? { body } : {})
    assert.deepEqual([refused.status, refused.body.code], [403, 'reauthentication_required'], `${method} ${to}`)
  }
  assert.equal(
    (await ask(cookie, 'POST', tokens(), { body: { name: 'build', scopes: ['packages:read'] } })).status,
    200,
  )
  assert.equal(
    (
      await gatehouse.call('POST', tokens(), {
        as: await gatehouse.signIn(gatehouse.owner.email, gatehouse.owner.password),
        body: { name: 'by JWT' },
      })
    ).status,
    200,
  )
  const again = `${path}/reauthenticate`
  const wrong = await ask(cookie, 'POST', again, { body: { password: 'wrong' } })
  assert.deepEqual([wrong.status, wrong.body.code], [403, 'forbidden'])
  assert.equal((await ask(cookie, 'POST', tokens(), { body: { name: 'still not' } })).status, 403)
  const right = await ask(cookie, 'POST', again, { body: { password: gatehouse.owner.password } })
  assert.equal(right.status, 200)
  assert.equal(right.body.session.confirmedUntil, new Date(now.getTime() + 300_000).toISOString())
  for (const [method, to, body] of dangerous) {
    const answer = await ask(cookie, method, to, body ? { body } : {})
    assert.equal(answer.status, 200, `${method} ${to} ${JSON.stringify(answer.body)}`)
  }
  assert.equal((await gatehouse.call('POST', again, { as: gatehouse.owner.jwt, body: { password: 'x' } })).status, 401)
})

test('another process that has just taken the password is believed', async () => {
  const other = await gatehouse.anotherProcess()
  try {
    const { cookie } = await open(owner())
    later(6 * 60_000)
    assert.equal((await ask(cookie, 'POST', tokens(), { body: { name: 'too late' } })).status, 403)
    const headers = { ...ownPage, cookie }
    const body = { password: gatehouse.owner.password }
    assert.equal((await other.call('POST', `${path}/reauthenticate`, { as: '', headers, body })).status, 200)
    assert.equal((await ask(cookie, 'POST', tokens(), { body: { name: 'at once' } })).status, 200)
  } finally {
    await other.close()
  }
})

test('guesses at the password are counted where it is asked for again', async () => {
  const person = await gatehouse.addPerson('member')
  const { cookie } = await open(person)
  const guess = () =>
    ask(cookie, 'POST', `${path}/reauthenticate`, {
      body: { password: 'wrong' },
      headers: { 'x-forwarded-for': '203.0.113.5' },
    })
  for (let tries = 0; tries < 10; tries++) assert.equal((await guess()).status, 403)
  assert.equal((await guess()).status, 429)
})
