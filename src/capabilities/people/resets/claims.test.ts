import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { openGatehouse, type TestGatehouse, tokenOf } from '../../../../test/gatehouse.ts'
import { startHostileIssuer } from '../../../../test/outside/hostile-issuer.ts'
import { factorKit, passkeyOrigin } from '../../../../test/servers/factor-gatehouse.ts'
import { type SmtpSink, startSmtpSink } from '../../../sandbox/smtp-sink.ts'
import { type Directory, openDirectory, patchOp } from '../../provisioning/test-directory.ts'
import { addProvider, browserAt, providersPath, setUp } from '../../sign-in-providers/test-sign-in.ts'
import { hashLinkToken, newLinkToken } from '../invitations/one-time-link.ts'
import { put } from './reset-store.ts'

const squatterWord = 'the word of the squatter'
const ownWord = 'the word of the holder'
let ahead = 0
const clock = { now: () => new Date(Date.now() + ahead), later: (ms: number) => (ahead += ms) }
let sink: SmtpSink
let issuer: Awaited<ReturnType<typeof startHostileIssuer>>
let gatehouse: TestGatehouse
let squatting: { id: number; as: string }
let directory: Directory
let kit: ReturnType<typeof factorKit>
before(async () => {
  sink = await startSmtpSink()
  issuer = await startHostileIssuer()
  gatehouse = await openGatehouse({
    clock,
    env: {
      GATEHOUSE_SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=off`,
      GATEHOUSE_SMTP_FROM: 'gatehouse@example.com',
      GATEHOUSE_EGRESS_ALLOW: '127.0.0.1',
      GATEHOUSE_URL: passkeyOrigin,
    },
  })
  squatting = await gatehouse.addDeployment()
  directory = await openDirectory(gatehouse, squatting.id)
  kit = factorKit(gatehouse, clock)
})
after(async () => {
  await gatehouse.close()
  await issuer.close()
  await sink.close()
})

const owner = () => gatehouse.signIn(gatehouse.owner.email, gatehouse.owner.password)
const ownId = async () =>
  (await gatehouse.call('GET', '/api/auth/session', { as: await owner() })).body.person.id as number
const login = (email: string, password: string) => kit.login({ email, password })
const setPassword = (link: string, password: string) =>
  gatehouse.call('POST', '/api/auth/password-reset', { as: '', body: { token: tokenOf(link), password } })
const ownersLink = async (personId: number) =>
  gatehouse.call('POST', `/api/people/v1/deployments/${squatting.id}/people/${personId}/reset-link`, {
    as: await owner(),
  })

/** A deployment makes an account for the address of somebody who has nothing to do with it, and gives it a password. */
async function squat(email: string) {
  const userId = await directory.provision(email)
  const path = `/api/people/v1/deployments/${squatting.id}/people`
  const { people } = (await gatehouse.call('GET', path, { as: await owner() })).body
  const personId: number = people.find((each: { email: string }) => each.email === email).id
  const { link } = (await ownersLink(personId)).body
  assert.equal((await setPassword(link, squatterWord)).status, 200)
  return { userId, personId, jwt: await gatehouse.signIn(email, squatterWord) }
}

/** What is mailed to whoever holds the address, and to nobody else. */
async function mailedLink(email: string, page: string): Promise<string> {
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; await delay(10)) {
    const texts = sink.mails
      .filter(({ to }) => to === email)
      .map(({ data }) => Buffer.from(data.split('\r\n\r\n')[1]!, 'base64').toString())
    const link = texts.map((text) => new RegExp(`^http\\S+/${page}#\\S+$`, 'm').exec(text)?.[0]).findLast(Boolean)
    if (link) return link
  }
  throw new Error(`no link in a mail to ${email}`)
}

async function claimByMail(email: string): Promise<void> {
  ahead += 6 * 60_000
  await gatehouse.call('POST', '/api/auth/password-reset/request', { as: '', body: { email } })
  assert.equal((await setPassword(await mailedLink(email, 'reset-password'), ownWord)).status, 200)
}

async function invited(email: string): Promise<string> {
  const path = `/api/people/v1/deployments/${gatehouse.owner.deploymentId}/people`
  assert.equal((await gatehouse.call('POST', path, { as: await owner(), body: { email } })).status, 200)
  return mailedLink(email, 'invitations')
}

const accept = (link: string, as: string) =>
  gatehouse.call('POST', '/api/people/v1/self/invitations/accept', { as, body: { token: tokenOf(link) } })

test('who holds the address of an account that others made gets in, past what those set up', async () => {
  const email = 'holder@victims.example'
  const squatted = await squat(email)
  const { device, added } = await kit.addPasskey(squatted.jwt)
  assert.equal(added.status, 200, JSON.stringify(added.body))
  const app = await kit.setUpApp(await gatehouse.signIn(email, squatterWord).catch(() => squatted.jwt))
  const invitation = await invited(email)
  await claimByMail(email)
  const own = await login(email, ownWord)
  assert.equal(own.status, 200, JSON.stringify(own.body))
  assert.equal((await accept(invitation, own.body.accessToken)).status, 200)

  // Nothing of the squatter's leads into the account that has joined.
  assert.equal((await login(email, squatterWord)).status, 401)
  assert.equal((await kit.login({ email, password: ownWord, code: app.codes[0]! })).status, 200)
  assert.equal((await kit.signInWith(device.get(await kit.challenge()))).status, 401)
})

test('after that the deployment that made the account does not set its password', async () => {
  const email = 'settled@victims.example'
  const { personId } = await squat(email)
  const { link: early } = (await ownersLink(personId)).body
  await claimByMail(email)
  const late = await ownersLink(personId)
  assert.equal(late.status, 403)
  assert.match(late.body.detail, /shown by mail that the address is theirs/)
  assert.equal((await setPassword(early, squatterWord)).status, 404)
  assert.equal((await login(email, ownWord)).status, 200)
})

test('a link of an owner that was being made while the address was claimed comes too late', async () => {
  const email = 'under.way@victims.example'
  const { personId } = await squat(email)
  await claimByMail(email)
  const token = newLinkToken()
  const [now, expiresAt] = [clock.now(), new Date(clock.now().getTime() + 60_000)]
  const onlyIn = { deploymentId: squatting.id, madeBy: await ownId() }
  const made = { personId, email, kind: 'owner' as const, tokenHash: hashLinkToken(token), onlyIn, now, expiresAt }
  await put({ query: gatehouse.db.identityQuery }, made)
  const body = { token, password: squatterWord }
  assert.equal((await gatehouse.call('POST', '/api/auth/password-reset', { as: '', body })).status, 404)
})

test('a directory that gives an account another address gives nothing of it to who holds that one', async () => {
  const email = 'renamed@victims.example'
  const userId = await directory.provision('first@squatters.example')
  const path = `/api/people/v1/deployments/${squatting.id}/people`
  const { people } = (await gatehouse.call('GET', path, { as: await owner() })).body
  const { id } = people.find((each: { email: string }) => each.email === 'first@squatters.example')
  await setPassword((await ownersLink(id)).body.link, squatterWord)
  await kit.setUpApp(await gatehouse.signIn('first@squatters.example', squatterWord))
  await claimByMail('first@squatters.example')
  await kit.setUpApp(await gatehouse.signIn('first@squatters.example', ownWord))
  ahead += 3_600_000
  await rename(userId, email)
  assert.equal((await login(email, ownWord)).body.code, 'second_factor_required')
  await claimByMail(email)
  assert.equal((await login(email, ownWord)).status, 200)
})

/** As a directory names the same person from now on. */
async function rename(userId: string, email: string): Promise<void> {
  const operations = [
    { op: 'replace', path: 'userName', value: email },
    { op: 'replace', path: 'emails', value: [{ value: email, primary: true }] },
  ]
  const renamed = await directory.send('PATCH', `/Users/${userId}`, { schemas: [patchOp], Operations: operations })
  assert.equal(renamed.status, 200, JSON.stringify(renamed.body))
}

test('a link that was mailed to one address shows nothing about another that the account is given', async () => {
  const [before, email] = ['mail@squatters.example', 'later@victims.example']
  const { userId } = await squat(before)
  ahead += 6 * 60_000
  await gatehouse.call('POST', '/api/auth/password-reset/request', { as: '', body: { email: before } })
  const link = await mailedLink(before, 'reset-password')
  await rename(userId, email)
  assert.equal((await setPassword(link, squatterWord)).status, 404)
  // Otherwise what is set up now would count as the holder's own.
  const { device, added } = await kit.addPasskey(await gatehouse.signIn(email, squatterWord))
  assert.equal(added.status, 200, JSON.stringify(added.body))
  await claimByMail(email)
  assert.equal((await kit.signInWith(device.get(await kit.challenge()))).status, 401)
})

test('a link that was being made while the account was given another address is not made', async () => {
  const { userId, personId } = await squat('slow@squatters.example')
  await rename(userId, 'quick@victims.example')
  const [now, expiresAt] = [clock.now(), new Date(clock.now().getTime() + 60_000)]
  const made = { personId, email: 'slow@squatters.example', kind: 'mail' as const, now, expiresAt }
  const tokenHash = hashLinkToken(newLinkToken())
  assert.equal(await put({ query: gatehouse.db.identityQuery }, { ...made, tokenHash }), false)
})

test('a second factor of somebody who was not made by a deployment stays with a reset mail', async () => {
  const email = 'careful@victims.example'
  assert.equal((await gatehouse.accept(await invited(email), squatterWord)).status, 200)
  await kit.setUpApp(await gatehouse.signIn(email, squatterWord))
  await claimByMail(email)
  assert.equal((await login(email, ownWord)).body.code, 'second_factor_required')
})

async function vouch(providerId: number, claims: { sub: string; email: string }) {
  const browser = browserAt(gatehouse)
  const url = new URL(await browser.start(providerId))
  issuer.control.claims = { nonce: url.searchParams.get('nonce')!, email_verified: true, ...claims }
  return { browser, finished: await browser.finish(providerId, `?code=a&state=${url.searchParams.get('state')}`) }
}

test('a deployment that suspends, or takes single sign-on only, keeps nobody from where they are awaited', async () => {
  const domains = ['closed.example']
  const closed = await addProvider(gatehouse, setUp(issuer.url, { name: 'Closed', domains }), squatting.id)
  const { clientSecret: _, ...fields } = setUp(issuer.url, { name: 'Closed', domains })
  const path = `${providersPath(squatting.id)}/${closed.id}`
  const enforce = async (enforced: boolean) => {
    const body = { ...fields, enforced, breakGlassId: enforced ? await ownId() : null }
    assert.equal((await gatehouse.call('PUT', path, { as: await owner(), body })).status, 200)
  }
  await squat('kept@victims.example')
  const suspended = await squat('suspended@victims.example')
  await vouch(closed.id, { sub: 'first', email: 'first@closed.example' })
  await enforce(true)
  await claimByMail('kept@victims.example')
  assert.equal((await login('kept@victims.example', ownWord)).status, 403)
  const invitation = await invited('kept@victims.example')
  const own = await login('kept@victims.example', ownWord)
  assert.equal(own.status, 200, JSON.stringify(own.body))
  assert.equal((await accept(invitation, own.body.accessToken)).status, 200)

  // Here nobody is invited: the provider of their own company vouches for them.
  const company = await addProvider(gatehouse, setUp(issuer.url, { domains: ['victims.example'] }))
  await claimByMail('suspended@victims.example')
  await directory.deactivate(suspended.userId)
  assert.equal((await login('suspended@victims.example', ownWord)).status, 401)
  const { browser, finished } = await vouch(company.id, { sub: 'holder', email: 'suspended@victims.example' })
  assert.equal(finished.body.outcome, 'confirm', JSON.stringify(finished.body))
  const body = { email: 'suspended@victims.example', password: ownWord }
  assert.equal((await browser.call('POST', '/api/auth/session', body)).status, 200)
  const confirmed = await browser.call('POST', '/api/auth/providers/confirm')
  assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body))
  await enforce(false)
})
