import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { startHostileIssuer } from '../../../test/outside/hostile-issuer.ts'
import { addProvider, browserAt, providerEnv, providersPath, setUp } from './test-sign-in.ts'

let gatehouse: TestGatehouse
let issuer: Awaited<ReturnType<typeof startHostileIssuer>>
let other: Awaited<ReturnType<typeof startHostileIssuer>>
let provider: { id: number }
let otherProvider: { id: number }
before(async () => {
  issuer = await startHostileIssuer()
  other = await startHostileIssuer()
  gatehouse = await openGatehouse({ env: providerEnv })
  provider = await addProvider(gatehouse, setUp(issuer.url))
  otherProvider = await addProvider(gatehouse, setUp(other.url, { name: 'Other' }))
})
beforeEach(() => {
  for (const each of [issuer, other]) {
    each.control.signing = 'right'
    delete each.control.configuration
    delete each.control.userInfo
  }
})
after(async () => {
  await gatehouse.close()
  await issuer.close()
  await other.close()
})

const person = { sub: 'somebody', email: 'somebody@corp.example', email_verified: true }

/** Comes back from the provider with an ID token of these claims. */
async function signIn(
  claims: object,
  more: { parameters?: Record<string, string>; of?: typeof issuer; id?: number; confirms?: boolean } = {},
) {
  const { of = issuer, id = provider.id, confirms = false } = more
  const browser = browserAt(gatehouse)
  const url = new URL(await browser.start(id, { confirms }))
  of.control.claims = { nonce: url.searchParams.get('nonce')!, ...person, ...claims }
  const parameters = new URLSearchParams({ code: 'a-code', state: url.searchParams.get('state')!, ...more.parameters })
  return { browser, answer: await browser.finish(id, `?${parameters}`) }
}

async function refused(claims: object, sentence: RegExp, more: Parameters<typeof signIn>[1] = {}) {
  const { answer, browser } = await signIn(claims, more)
  assert.equal(answer.status, 403, JSON.stringify(answer.body))
  assert.match(answer.body.detail, sentence)
  assert.ok(!browser.jar.has('__Host-gatehouse'))
}

test('an honest answer counts', async () => {
  assert.equal((await signIn({})).answer.status, 200)
})

test('an ID token for another client, another sign-in, by another issuer, or that has expired does not count', async () => {
  const now = Math.floor(Date.now() / 1000)
  await refused({ aud: 'another-client' }, /another client/)
  await refused(
    { aud: ['gatehouse', 'another-client'], azp: 'another-client' },
    /another client|cannot be used|not for this/,
  )
  await refused({ nonce: 'of another sign-in' }, /another sign-in/)
  await refused({ iss: other.url }, /another issuer|by another/)
  await refused({ iat: now - 900, exp: now - 600 }, /expired/)
})

test('to confirm something dangerous the provider says when it asked, where it can say it', async () => {
  const now = Math.floor(Date.now() / 1000)
  const confirms = true
  await refused({ auth_time: now - 3_600 }, /did not ask you again/, { confirms })
  assert.equal((await signIn({}, { confirms })).answer.status, 200)
  issuer.control.configuration = { claims_supported: ['sub', 'auth_time'] }
  await refused({}, /does not say when it last asked you/, { confirms })
  assert.equal((await signIn({ auth_time: now }, { confirms })).answer.status, 200)
  // Nobody asked it to: the session is simply one that has to be confirmed.
  const { answer } = await signIn({})
  assert.deepEqual([answer.status, new Date(answer.body.session.confirmedUntil) < new Date()], [200, true])
})

test('an ID token counts only with the signature of the issuer', async () => {
  issuer.control.signing = 'none'
  await refused({}, /not accepted|not signed|cannot be used/)
  issuer.control.signing = 'secret'
  await refused({}, /not accepted|not signed|cannot be used/)
  issuer.control.signing = 'stranger'
  await refused({}, /not signed|cannot be used|key/)
})

test('an answer counts in the sign-in that asked for it, and once', async () => {
  await refused({}, /not for this sign-in|cannot be used/, { parameters: { state: 'of-another-browser' } })
  const browser = browserAt(gatehouse)
  const url = new URL(await browser.start(provider.id))
  issuer.control.claims = { nonce: url.searchParams.get('nonce')!, ...person }
  const parameters = `?code=a-code&state=${url.searchParams.get('state')}`
  const cookie = browser.jar.get('__Host-gatehouse-sign-in')!
  assert.equal((await browser.finish(provider.id, parameters)).status, 200)
  assert.ok(!browser.jar.has('__Host-gatehouse-sign-in'))
  browser.jar.set('__Host-gatehouse-sign-in', cookie)
  assert.equal((await browser.finish(provider.id, parameters)).status, 403)
})

test('the answer of one provider does not count as that of another', async () => {
  // RFC 9207: it says whose it is.
  await refused({}, /not for this sign-in|another issuer/, { parameters: { iss: other.url } })
  // It does not say so: but each has its own address to come back to.
  const browser = browserAt(gatehouse)
  const url = new URL(await browser.start(provider.id))
  other.control.claims = { nonce: url.searchParams.get('nonce')!, ...person }
  const parameters = `?code=a-code&state=${url.searchParams.get('state')}`
  assert.equal((await browser.finish(otherProvider.id, parameters)).status, 403)
})

test('a provider that says it names itself in its answers has to', async () => {
  issuer.control.configuration = { authorization_response_iss_parameter_supported: true }
  await refused({}, /not for this sign-in|cannot be used/)
  assert.equal((await signIn({}, { parameters: { iss: issuer.url } })).answer.status, 200)
})

test('the same subject at two providers is two people', async () => {
  const first = await signIn({ sub: 'same', email: 'one@corp.example' })
  const second = await signIn({ sub: 'same', email: 'two@corp.example' }, { of: other, id: otherProvider.id })
  const idOf = async ({ browser }: typeof first) => (await browser.me()).body.person.id
  assert.notEqual(await idOf(first), await idOf(second))
})

test('what is asked for besides has to be about the same person', async () => {
  issuer.control.userInfo = { sub: 'somebody-else', email: 'boss@corp.example', email_verified: true }
  await refused({ email: undefined }, /another person than the one who signs in/)
})

test('groups that the provider leaves out are no groups: the sign-in is refused with what to do', async () => {
  const overage = { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://graph.example' } } }
  await refused(overage, /too many.*assigned to the application/)
})

test('an address that is not verified, or of a domain that nobody claimed, neither makes nor finds an account', async () => {
  const known = await gatehouse.addPerson('member')
  for (const email of ['new@corp.example', 'somebody-new@elsewhere.example', known.email]) {
    const isClaimed = email.endsWith('@corp.example')
    await refused({ sub: email, email, email_verified: !isClaimed }, isClaimed ? /verified/ : /domain/)
  }
  await refused({ sub: 'none', email: 'none@corp.example', email_verified: undefined }, /verified/)
})

test('an address that becomes another one in small letters is nobody else’s', async () => {
  await signIn({ sub: 'kim', email: 'kim@corp.example' })
  for (const email of ['\u212aim@corp.example', 'k\u0130m@corp.example']) {
    await refused({ sub: email, email }, /no e-mail address/, { of: other, id: otherProvider.id })
  }
})

test('names that no database keeps are refused in a sentence', async () => {
  await refused({ sub: 'a\0b' }, /no subject/)
  await refused({ sub: 'nul', email: 'a\0b@corp.example' }, /no e-mail address/)
  assert.equal((await signIn({ sid: 'a\0b' })).answer.status, 200)
})

test('a configuration that cannot be used safely is refused when it is saved, and says where', async () => {
  const as = await gatehouse.signIn(gatehouse.owner.email, gatehouse.owner.password)
  const { id: ownerId } = (await gatehouse.call('GET', '/api/auth/session', { as })).body.person
  const save = (more: object) =>
    gatehouse.call('POST', providersPath(gatehouse.owner.deploymentId), {
      as,
      body: setUp(issuer.url, { name: 'New', ...more }),
    })
  const cases: [object, object, string, RegExp][] = [
    [{ issuer: 'https://elsewhere.example' }, {}, '/issuer', /another issuer than the one that was entered/],
    [{ issuer: `${issuer.url}/` }, {}, '/issuer', /to the character/],
    [{ token_endpoint: 'http://169.254.169.254/token' }, {}, '/issuer', /token_endpoint.*https/],
    [{ code_challenge_methods_supported: ['plain'] }, {}, '/issuer', /S256/],
    [{ id_token_signing_alg_values_supported: ['HS256', 'none'] }, {}, '/issuer', /algorithm/],
    [{}, { issuer: 'http://10.0.0.1/' }, '/issuer', /https/],
    [{}, { mapping: [{ group: 'g', role: 'member', teams: [999] }] }, '/mapping/0/teams/0', /no team 999/],
    [{}, { mapping: [{ group: 'g', role: 'member', teams: [] }], groupsClaim: '' }, '/groupsClaim', /required/],
    [{}, { enforced: true, breakGlassId: ownerId }, '/enforced', /once somebody has signed in/],
  ]
  for (const [configuration, more, pointer, detail] of cases) {
    issuer.control.configuration = configuration as Record<string, unknown>
    const answer = await save(more)
    assert.equal(answer.status, 422, JSON.stringify([configuration, more, answer.body]))
    assert.equal(answer.body.errors[0].pointer, pointer)
    assert.match(answer.body.errors[0].detail, detail)
  }
})

test('the stored secret never goes to another issuer', async () => {
  const as = await gatehouse.signIn(gatehouse.owner.email, gatehouse.owner.password)
  const { clientSecret: _, ...fields } = setUp(other.url, { name: 'Company' })
  const path = `${providersPath(gatehouse.owner.deploymentId)}/${provider.id}`
  const answer = await gatehouse.call('PUT', path, { as, body: fields })
  assert.deepEqual([answer.status, answer.body.errors[0].pointer], [422, '/clientSecret'])
})
