import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import sql from 'sql-template-tag'
import { runCommand } from '../../../../test/clients/command-line.ts'
import { openGatehouse, type Tester, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { systemActor } from '../../../kernel/access/actor.ts'
import { type NpmRegistrySandbox, startNpmRegistry } from '../../../sandbox/registries/npm-registry.ts'
import { type PypiRegistrySandbox, startPypiRegistry } from '../../../sandbox/registries/pypi-registry.ts'
import { testFeed } from '../advisories/test-feed.ts'

const clock = { at: new Date('2026-11-15T12:00:00Z'), now: () => clock.at }
const [old, young, friday] = ['2026-01-01T00:00:00.000Z', '2026-11-15T06:00:00.000Z', '2026-11-20T00:00:00.000Z']
const feed = testFeed()
let npm: NpmRegistrySandbox
let pypi: PypiRegistrySandbox
let gatehouse: TestGatehouse
let member: Tester
let admin: Tester
let path: string
let names = 0

before(async () => {
  ;[npm, pypi] = await Promise.all([startNpmRegistry(), startPypiRegistry()])
  feed.add({ id: 'MAL-1', name: 'evil' })
  const env = { GATEHOUSE_NPM_UPSTREAM: npm.url, GATEHOUSE_PYPI_UPSTREAM: pypi.indexUrl }
  gatehouse = await openGatehouse({ clock, env, jobs: false })
  path = `/api/firewall/v1/deployments/${gatehouse.owner.deploymentId}`
  member = await gatehouse.addPerson('member')
  admin = await gatehouse.addPerson('admin')
  await gatehouse.firewall.feeds.sync(feed.place)
  const claim = { ecosystem: 'npm', pattern: 'corp-*', reason: 'no registry here has them' }
  assert.equal((await gatehouse.call('POST', `${path}/package-claims`, { body: claim })).status, 200)
  for (const ecosystem of ['npm', 'pypi']) {
    const body = { ecosystem, undetermined: 'block', minimumAgeHours: 24, ageExceptions: [], maximumDataAgeHours: 0 }
    assert.equal((await gatehouse.call('PUT', `${path}/settings`, { body })).status, 200)
  }
  await gatehouse.firewall.refresh()
})
beforeEach(() => {
  clock.at = new Date('2026-11-15T12:00:00Z')
})
after(async () => {
  await gatehouse.close()
  await Promise.all([npm.close(), pypi.close()])
  feed.remove()
})

/** A package with an old version and one that the age gate holds back. */
function publish(): string {
  const name = `lib${++names}`
  npm.publish({ name, version: '1.0.0', publishedAt: old })
  npm.publish({ name, version: '1.1.0', publishedAt: young })
  return name
}

function fetchPackage(what: string, as = member.token): Promise<Response> {
  return fetch(`${gatehouse.url}/firewall/1/${what}`, { headers: { authorization: `Bearer ${as}` } })
}

const tarball = (name: string, version = '1.1.0') => `npm/${name}/-/${name}-${version}.tgz`

async function statusOf(what: string, as = member.token): Promise<number> {
  await gatehouse.firewall.refresh()
  const answer = await fetchPackage(what, as)
  await answer.arrayBuffer()
  return answer.status
}

async function ask(name: string, { as = member.token, version = '1.1.0', reason = 'a fix', ...more } = {}) {
  const body = { ecosystem: 'npm', name, version, reason, ...more }
  return gatehouse.call('POST', `${path}/exceptions`, { as, body })
}

async function asked(name: string, more = {}) {
  const answer = await ask(name, more)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.exception
}

/** As a request that an earlier release took. */
async function askedBefore(name: string, version: string, rule: string): Promise<number> {
  const actor = systemActor(gatehouse.owner.deploymentId, 'test')
  const insert = sql`insert into firewall_exception
      (deployment_id, ecosystem, name, version, rule, reason, advisory_ids, created_at)
    values (${gatehouse.owner.deploymentId}, 'npm', ${name}, ${version}, ${rule}, '', '{}', ${clock.at})`
  await gatehouse.db.transaction(actor, (tx) => tx.query(insert))
  const { body } = await gatehouse.call('GET', `${path}/exceptions?${new URLSearchParams({ package: name })}`)
  return body.exceptions.find((each: { version: string }) => each.version === version).id
}

function decide(id: number, more: object = {}, as = admin.token, headers = {}) {
  const body = { decision: 'approve', reason: 'looked at it', expiresAt: friday, ...more }
  return gatehouse.call('POST', `${path}/exceptions/${id}/decision`, { as, body, headers })
}

async function approved(name: string, more: object = {}, wish: object = {}) {
  const { id } = await asked(name, wish)
  const answer = await decide(id, more)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  await gatehouse.firewall.refresh()
  return answer.body.exception
}

test('a refusal links to its page and ends with the contact of the deployment, also where only the status line is printed', async () => {
  const name = publish()
  const body = { contact: 'Ask #platform, phone 42.', fourEyes: false }
  assert.equal((await gatehouse.call('PUT', `${path}/exception-settings`, { body })).status, 200)
  await gatehouse.firewall.refresh()
  const answer = await fetchPackage(tarball(name))
  const { error } = (await answer.json()) as { error: string }
  assert.match(error, new RegExp(`/refused\\?deployment=1&ecosystem=npm&package=${name}@1\\.1\\.0 Ask #platform`))
  assert.ok(error.endsWith('Ask #platform, phone 42.'), error)
  assert.equal(answer.statusText, error)
  const notice = (await fetchPackage(`npm/${name}`)).headers.get('npm-notice') ?? ''
  assert.ok(notice.endsWith('Ask #platform, phone 42.'), notice)
  const scoped = { name: '@scope/lib', version: '1.1.0', publishedAt: young }
  npm.publish(scoped)
  const { error: whole } = (await (await fetchPackage('npm/@scope%2flib')).json()) as { error: string }
  assert.match(whole, /&package=@scope\/lib@1\.1\.0 /)
  const empty = await gatehouse.call('PUT', `${path}/exception-settings`, { body: { contact: '', fourEyes: false } })
  assert.equal(empty.body.contact, '')
})

test('of several refused versions the notice for npm says how many, and the latest for an example', async () => {
  const name = publish()
  npm.publish({ name, version: '0.9.9', publishedAt: young, tag: 'old' })
  const notice = (await fetchPackage(`npm/${name}`)).headers.get('npm-notice') ?? ''
  assert.match(
    notice,
    new RegExp(`^Gatehouse refuses 2 versions of ${name}, for example 1\\.1\\.0: .*&package=${name}@1\\.1\\.0`),
  )
})

test('settings are changed by who has seen them, and not by members', async () => {
  const { headers } = await gatehouse.call('GET', `${path}/exception-settings`)
  const body = { contact: '', fourEyes: false }
  const match = { 'if-match': headers.get('etag')! }
  assert.equal((await gatehouse.call('PUT', `${path}/exception-settings`, { body, headers: match })).status, 200)
  assert.equal((await gatehouse.call('PUT', `${path}/exception-settings`, { body, headers: match })).status, 412)
  assert.equal((await gatehouse.call('PUT', `${path}/exception-settings`, { as: member.token, body })).status, 403)
})

test('one request for each version, with everybody who asked; others see nothing of it', async () => {
  const name = publish()
  const other = await gatehouse.addPerson('member')
  const first = await asked(name, { reason: 'the build is red' })
  assert.partialDeepStrictEqual(first, { state: 'open', rule: 'too_young', askerCount: 1 })
  const second = await asked(name, { as: other.token, reason: 'mine too' })
  assert.deepEqual([second.id, second.askerCount], [first.id, 2])
  assert.deepEqual(
    second.askers.map(({ personId }: { personId: number }) => personId),
    [other.id],
  )
  await asked(name, { reason: 'still red' })
  const seen = (await gatehouse.call('GET', `${path}/exceptions/${first.id}`)).body.exception
  assert.deepEqual(
    seen.askers.map(({ personId, reason }: { personId: number; reason: string }) => [personId, reason]),
    [
      [member.id, 'still red'],
      [other.id, 'mine too'],
    ],
  )
  const stranger = await gatehouse.addPerson('member')
  assert.equal((await gatehouse.call('GET', `${path}/exceptions/${first.id}`, { as: stranger.token })).status, 404)
  assert.deepEqual((await gatehouse.call('GET', `${path}/exceptions`, { as: stranger.token })).body.exceptions, [])
  const reader = await gatehouse.addPerson('readonly')
  assert.equal((await ask(name, { as: reader.token })).status, 403)
})

test('what is let through cannot be asked for', async () => {
  const answer = await ask(publish(), { version: '1.0.0' })
  assert.equal(answer.status, 422)
  assert.match(answer.body.detail, /is not refused/)
})

test('what its registry does not have is neither asked for nor approved', async () => {
  const name = publish()
  const answer = await ask(name, { version: '99.0.0' })
  assert.equal(answer.status, 422)
  assert.match(answer.body.detail, /registry does not have lib\d+@99\.0\.0, so there is nothing to let in/)
  const id = await askedBefore(name, '99.0.0', 'unknown_age')
  const late = await decide(id)
  assert.equal(late.status, 422, JSON.stringify(late.body))
  assert.match(late.body.detail, /registry does not have/)
  assert.equal((await decide(id, { decision: 'reject' })).status, 200)
})

test('while its registry cannot be asked a version is asked for, and not approved', async () => {
  const deny = { ecosystem: 'cargo', name: 'far', effect: 'deny', reason: 'no' }
  assert.equal((await gatehouse.call('POST', `${path}/overrides`, { body: deny })).status, 200)
  await gatehouse.firewall.refresh()
  const { id } = await asked('far', { ecosystem: 'cargo', version: '1.0.0' })
  const answer = await decide(id)
  assert.equal(answer.status, 422)
  assert.match(answer.body.detail, /Nobody knows whether its registry has this version/)
})

test('an approved exception lets the version in, for as long as was said, and no other', async () => {
  const name = publish()
  npm.publish({ name, version: '1.2.0', publishedAt: young })
  assert.equal(await statusOf(tarball(name)), 403)
  const exception = await approved(name)
  assert.partialDeepStrictEqual(exception, {
    state: 'approved',
    versions: '1.1.0',
    scope: 'deployment',
    expiresAt: friday,
    decisionReason: 'looked at it',
  })
  assert.equal(await statusOf(tarball(name)), 200)
  assert.equal(await statusOf(tarball(name, '1.2.0')), 403)
  const { versions } = (await (await fetchPackage(`npm/${name}`)).json()) as { versions: object }
  assert.deepEqual(Object.keys(versions).sort(), ['1.0.0', '1.1.0'])
  const query = new URLSearchParams({ ecosystem: 'npm', name, version: '1.1.0' })
  const verdict = (await gatehouse.call('GET', `${path}/verdict?${query}`)).body
  assert.deepEqual([verdict.decision, verdict.rule], ['allow', 'allowed'])
  assert.match(verdict.reason, /until 2026-11-20T00:00Z by exception \d+: looked at it/)
  // Still too young for the age gate of a month: the exception alone has let it in, and has run out.
  const body = {
    ecosystem: 'npm',
    undetermined: 'block',
    minimumAgeHours: 720,
    ageExceptions: [],
    maximumDataAgeHours: 0,
  }
  await gatehouse.call('PUT', `${path}/settings`, { body })
  assert.equal(await statusOf(tarball(name)), 200)
  clock.at = new Date(friday)
  assert.equal(await statusOf(tarball(name)), 403)
  const { state } = (await gatehouse.call('GET', `${path}/exceptions/${exception.id}`)).body.exception
  assert.equal(state, 'expired')
  const listed = await gatehouse.call('GET', `${path}/exceptions?state=expired&package=${name}`)
  assert.equal(listed.body.exceptions.length, 1)
  await gatehouse.call('PUT', `${path}/settings`, { body: { ...body, minimumAgeHours: 24 } })
})

test('an exception for a team is for its members and those of the teams below it, in metadata too', async () => {
  const name = publish()
  const outsider = await gatehouse.addPerson('member')
  const below = await gatehouse.addPerson('member')
  const teams = `/api/permissions/v2/deployments/${gatehouse.owner.deploymentId}/teams`
  const team = async (given: object, person: Tester) => {
    const made = await gatehouse.call('POST', teams, { body: { team: given } })
    assert.equal(made.status, 200, JSON.stringify(made.body))
    const users = [{ userId: person.id, action: 'UPDATE_ACTION_ADD' }]
    const joined = await gatehouse.call('PATCH', `${teams}/${made.body.team.id}`, { body: { team: { users } } })
    assert.equal(joined.status, 200, JSON.stringify(joined.body))
    return made.body.team.id as string
  }
  const parent = await team({ name: `Parent ${name}` }, member)
  await team({ name: `Child ${name}`, parentTeamId: parent }, below)
  const exception = await approved(name, { teamId: Number(parent) })
  assert.deepEqual([exception.scope, exception.teamName], ['team', `Parent ${name}`])
  assert.deepEqual(
    [
      await statusOf(tarball(name)),
      await statusOf(tarball(name), below.token),
      await statusOf(tarball(name), outsider.token),
    ],
    [200, 200, 403],
  )
  const shown = async (as: string) =>
    Object.keys(((await (await fetchPackage(`npm/${name}`, as)).json()) as { versions: object }).versions).length
  // One right after the other: what is kept for the one must not be given to the other.
  assert.deepEqual([await shown(member.token), await shown(outsider.token), await shown(below.token)], [2, 1, 2])
  const out = [{ userId: below.id, action: 'UPDATE_ACTION_REMOVE' }]
  const { body } = await gatehouse.call('GET', `${teams}?parentTeamId=${parent}`)
  await gatehouse.call('PATCH', `${teams}/${body.teams[0].id}`, { body: { team: { users: out } } })
  assert.equal(await statusOf(tarball(name), below.token), 403)
  await gatehouse.call('DELETE', `${teams}/${body.teams[0].id}`)
  assert.equal((await gatehouse.call('DELETE', `${teams}/${parent}`)).status, 200)
  assert.deepEqual([await statusOf(tarball(name)), await statusOf(tarball(name), outsider.token)], [403, 403])
})

test('a range and a whole package can be approved; what does not include the version that was asked for cannot', async () => {
  const name = publish()
  npm.publish({ name, version: '1.5.0', publishedAt: young })
  const { id } = await asked(name)
  for (const [versions, pattern] of [
    ['<1.1.0', /does not include 1\.1\.0/],
    ['^1.0.0', /must be/],
  ] as const) {
    const wrong = await decide(id, { versions })
    assert.equal(wrong.status, 422)
    assert.match(wrong.body.detail, pattern)
  }
  assert.equal((await decide(id, { versions: '>=1.1.0 <2.0.0' })).status, 200)
  assert.equal(await statusOf(tarball(name, '1.5.0')), 200)
  const whole = publish()
  assert.equal((await approved(whole, { versions: '' })).versions, '')
})

test('an exception has an end, of at most a year, and is decided once', async () => {
  const { id } = await asked(publish())
  const { expiresAt: _, ...endless } = { expiresAt: friday }
  const body = { decision: 'approve', reason: 'r', ...endless }
  const missing = await gatehouse.call('POST', `${path}/exceptions/${id}/decision`, { as: admin.token, body })
  assert.deepEqual([missing.status, missing.body.errors[0].pointer], [422, '/expiresAt'])
  for (const expiresAt of ['2026-11-15T11:00:00Z', '2028-01-01T00:00:00Z'])
    assert.equal((await decide(id, { expiresAt })).status, 422)
  assert.equal((await decide(id, {}, member.token)).status, 403)
  assert.equal((await decide(id, { teamId: 999_999 })).status, 422)
  const stale = await decide(id, {}, admin.token, { 'if-match': '"99"' })
  assert.equal(stale.status, 412)
  assert.equal((await decide(id, { decision: 'reject' })).body.exception.state, 'rejected')
  assert.equal((await decide(id)).status, 409)
})

test('with four eyes, whoever asked does not approve, and may still reject', async () => {
  const name = publish()
  const settings = (fourEyes: boolean) =>
    gatehouse.call('PUT', `${path}/exception-settings`, { body: { contact: '', fourEyes } })
  await settings(true)
  const { id } = await asked(name, { as: admin.token })
  await asked(name)
  const own = await decide(id)
  assert.equal(own.status, 403)
  assert.match(own.body.detail, /somebody else/)
  assert.equal(await statusOf(tarball(name)), 403)
  assert.equal((await decide(id, {}, gatehouse.owner.token)).status, 200)
  const again = publish()
  const mine = await asked(again, { as: admin.token })
  assert.equal((await decide(mine.id, { decision: 'reject' })).status, 200)
  await settings(false)
})

test('known malware is approved for nobody, and its refusal does not invite anybody to ask', async () => {
  npm.publish({ name: 'evil', version: '1.0.0', publishedAt: old })
  const { error } = (await (await fetchPackage(tarball('evil', '1.0.0'))).json()) as { error: string }
  assert.ok(error.includes(' Why: http') && !error.includes('to ask for an exception'), error)
  for (const version of ['1.0.0', '*']) {
    const wish = await ask('evil', { version })
    assert.equal(wish.status, 422)
    assert.match(wish.body.detail, /known to be malicious, which no exception lets in/)
    const answer = await decide(await askedBefore('evil', version, 'malicious'))
    assert.equal(answer.status, 422)
    assert.match(answer.body.detail, /known to be malicious, which no exception lets in/)
  }
})

test('an advisory ends the exception for what it names: at once at the adapter, then on record', async () => {
  const [one, range] = [publish(), publish()]
  const exact = await approved(one)
  const wide = await approved(range, { versions: '>=1.0.0 <2.0.0' })
  const untouched = await approved(publish())
  assert.deepEqual([await statusOf(tarball(one)), await statusOf(tarball(range))], [200, 200])
  feed.add({ id: 'MAL-90', name: one, versions: ['1.1.0'] }, { id: 'MAL-91', name: range, versions: ['1.1.0'] })
  await gatehouse.firewall.feeds.sync(feed.place)
  assert.deepEqual([await statusOf(tarball(one)), await statusOf(tarball(range))], [403, 403])
  await gatehouse.rejudgeExceptions()
  const states = await Promise.all(
    [exact, wide, untouched].map(
      async ({ id }) => (await gatehouse.call('GET', `${path}/exceptions/${id}`)).body.exception,
    ),
  )
  assert.deepEqual(
    states.map(({ state }) => state),
    ['ended', 'ended', 'approved'],
  )
  assert.match(states[0].endedReason, /MAL-90/)
  assert.deepEqual([states[0].endedBy, states[0].endedByName], [0, ''])
  feed.add({
    id: 'MAL-90',
    name: one,
    versions: ['1.1.0'],
    withdrawn: '2026-11-15T00:00:00Z',
    modified: '2026-11-15T00:00:00Z',
  })
  await gatehouse.firewall.feeds.sync(feed.place)
  assert.equal(await statusOf(tarball(one)), 403)
})

test('an exception lifts the deny that it was approved over, and no later one', async () => {
  const name = publish()
  const deny = (version: string) =>
    gatehouse.call('POST', `${path}/overrides`, {
      body: { ecosystem: 'npm', name, version, effect: 'deny', reason: 'no' },
    })
  await deny('')
  await gatehouse.firewall.refresh()
  assert.equal(await statusOf(`npm/${name}`), 403)
  await approved(name, {}, { version: '1.0.0' })
  assert.deepEqual([await statusOf(tarball(name, '1.0.0')), await statusOf(`npm/${name}`)], [200, 200])
  assert.equal(await statusOf(tarball(name)), 403)
  await deny('1.0.0')
  assert.equal(await statusOf(tarball(name, '1.0.0')), 403)
})

test('nothing is lifted while too little is known', async () => {
  const name = publish()
  await approved(name)
  const settings = { ecosystem: 'npm', undetermined: 'block', minimumAgeHours: 24, ageExceptions: [] }
  await gatehouse.call('PUT', `${path}/settings`, { body: { ...settings, maximumDataAgeHours: 1 } })
  clock.at = new Date('2026-11-19T00:00:00Z')
  await gatehouse.firewall.refresh()
  const answer = await fetchPackage(tarball(name))
  const { error } = (await answer.json()) as { error: string }
  const wish = await ask(name)
  await gatehouse.call('PUT', `${path}/settings`, { body: { ...settings, maximumDataAgeHours: 0 } })
  assert.deepEqual([answer.status, wish.status], [403, 422])
  assert.match(wish.body.detail, /^No exception lifts this: /)
  assert.ok(error.includes(' Why: http') && !error.includes('to ask for an exception'), error)
})

test('an exception is ended by who may decide, and what it let in is refused again', async () => {
  const name = publish()
  const { id } = await approved(name)
  const end = (as = admin.token) =>
    gatehouse.call('POST', `${path}/exceptions/${id}/end`, { as, body: { reason: 'done' } })
  assert.equal((await end(member.token)).status, 403)
  const ended = { state: 'ended', endedReason: 'done', endedBy: admin.id, endedByName: admin.email.split('@')[0] }
  assert.partialDeepStrictEqual((await end()).body.exception, ended)
  assert.equal((await end()).status, 409)
  assert.equal(await statusOf(tarball(name)), 403)
})

test('an ended exception names who ended it after they have left', async () => {
  const leaving = await gatehouse.addPerson('admin')
  const { id } = await approved(publish())
  const end = { as: leaving.token, body: { reason: 'done' } }
  const { exception } = (await gatehouse.call('POST', `${path}/exceptions/${id}/end`, end)).body
  assert.ok(exception.endedByName)
  const people = `/api/people/v1/deployments/${gatehouse.owner.deploymentId}/people`
  assert.equal((await gatehouse.call('DELETE', `${people}/${leaving.id}`)).status, 200)
  const { exceptions } = (await gatehouse.call('GET', `${path}/exceptions?state=ended`)).body
  const after = exceptions.find((each: { id: number }) => each.id === id)
  assert.deepEqual([after.endedBy, after.endedByName], [leaving.id, exception.endedByName])
})

test('what a refusal links to says why, who waits, and what was decided last', async () => {
  const name = publish()
  const page = async (as = member.token) => {
    await gatehouse.firewall.refresh()
    const query = new URLSearchParams({ ecosystem: 'npm', name, version: '1.1.0' })
    return (await gatehouse.call('GET', `${path}/refused?${query}`, { as })).body
  }
  assert.partialDeepStrictEqual(await page(), { askerCount: 0, asked: false, mayBeAsked: true, last: null })
  const { id } = await asked(name)
  assert.partialDeepStrictEqual(await page(), { askerCount: 1, asked: true })
  assert.partialDeepStrictEqual(await page(admin.token), { askerCount: 1, asked: false })
  await decide(id, { decision: 'reject', reason: 'use 1.0.0' })
  assert.partialDeepStrictEqual(await page(), {
    askerCount: 0,
    last: { state: 'rejected', decisionReason: 'use 1.0.0' },
  })
})

test('who looks at the refusal of what is denied has no registry asked, and a version that is seen to be missing is not asked for', async () => {
  const [name, denied] = [publish(), publish()]
  const body = { ecosystem: 'npm', name: denied, effect: 'deny', reason: 'not here' }
  assert.equal((await gatehouse.call('POST', `${path}/overrides`, { body })).status, 200)
  await gatehouse.firewall.refresh()
  const mayBeAsked = async (wanted: string, version: string) => {
    const query = new URLSearchParams({ ecosystem: 'npm', name: wanted, version })
    return (await gatehouse.call('GET', `${path}/refused?${query}`, { as: member.token })).body.mayBeAsked
  }
  const seen = npm.seen.length
  assert.equal(await mayBeAsked(denied, '1.1.0'), true)
  assert.equal(npm.seen.length, seen)
  assert.deepEqual([await mayBeAsked(name, '1.1.0'), await mayBeAsked(name, '99.0.0')], [true, false])
})

test('of a private name that nobody is asked for there are no exceptions, though it is denied too', async () => {
  const deny = { ecosystem: 'npm', name: 'corp-*', effect: 'deny', reason: 'not here' }
  assert.equal((await gatehouse.call('POST', `${path}/overrides`, { body: deny })).status, 200)
  await gatehouse.firewall.refresh()
  for (const version of ['1.0.0', '*']) {
    const query = new URLSearchParams({ ecosystem: 'npm', name: 'corp-log', version })
    const page = (await gatehouse.call('GET', `${path}/refused?${query}`, { as: member.token })).body
    assert.deepEqual([page.verdict.rule, page.mayBeAsked], ['denied', false])
    const late = await decide(await askedBefore('corp-log', version, 'denied'))
    for (const answer of [await ask('corp-log', { version }), late]) {
      assert.equal(answer.status, 422)
      assert.match(answer.body.detail, /^No exception changes whom a name is asked of\. corp-log is claimed/)
    }
  }
})

test('who decides sees the verdict, who has the package and who was refused it', async () => {
  const name = publish()
  await statusOf(tarball(name))
  await statusOf(tarball(name))
  const { id } = await asked(name)
  const evidence = await gatehouse.call('GET', `${path}/exceptions/${id}/evidence`, { as: admin.token })
  assert.equal(evidence.status, 200, JSON.stringify(evidence.body))
  assert.partialDeepStrictEqual(evidence.body, {
    verdict: { rule: 'too_young', refuse: true },
    vulnerabilities: [],
    repositoryCount: 0,
    refusals: [{ personId: member.id, count: 2 }],
  })
  assert.equal((await gatehouse.call('GET', `${path}/exceptions/${id}/evidence`, { as: member.token })).status, 403)
})

test('gatehouse firewall request asks for an exception', async () => {
  const name = publish()
  const run = (token: string) =>
    runCommand(['firewall', 'request', `${name}@1.1.0`, '--reason', 'a fix', '--url', gatehouse.url], {
      env: { GATEHOUSE_TOKEN: token },
    })
  const first = await run(member.token)
  assert.equal(first.code, 0, first.stderr)
  assert.match(
    first.stdout,
    new RegExp(
      `^Asked for ${name}@1\\.1\\.0: request \\d+\\. What is decided is at ${gatehouse.url}, Firewall, Exceptions\\.`,
    ),
  )
  assert.match((await run(admin.token)).stdout, /2 people have asked for it/)
})

test('the report says who is behind a number, to who may see it', async () => {
  const name = publish()
  await statusOf(tarball(name))
  await statusOf(tarball(name), admin.token)
  await statusOf(tarball(name), admin.token)
  const people = async (as: string) =>
    (await gatehouse.call('POST', `${path}/events/people`, { as, body: { filter: { package: name } } })).body.people
  const all = await people(gatehouse.owner.token)
  assert.deepEqual(
    all.map(({ personId, count }: { personId: number; count: number }) => [personId, count]),
    [
      [admin.id, 2],
      [member.id, 1],
    ],
  )
  assert.deepEqual((await people(member.token)).length, 1)
})
