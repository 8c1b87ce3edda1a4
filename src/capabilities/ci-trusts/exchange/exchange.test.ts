import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { SignJWT, UnsecuredJWT } from 'jose'
import { openGatehouse, type Tester, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { poll } from '../../../../test/servers/real-process.ts'
import { startCiIssuer } from '../../../sandbox/code-hosts/ci-issuer.ts'
import { endBranch } from '../../scans/branches/branch-contract.ts'
import { endPullRequest } from '../../scans/contract.ts'
import { scansPath, upload } from '../../scans/test-upload.ts'

const audience = 'https://gatehouse.example.com'
const sha = '1f0c4b2a9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a'
let ahead = 0
const clock = { now: () => new Date(Date.now() + ahead) }
let issuer: Awaited<ReturnType<typeof startCiIssuer>>
let gatehouse: TestGatehouse
let admin: Tester
let trusts: string
let account: number
before(async () => {
  issuer = await startCiIssuer({ clock })
  gatehouse = await openGatehouse({ clock, env: { GATEHOUSE_EGRESS_ALLOW: '127.0.0.1' } })
  admin = await gatehouse.addPerson('admin')
  const { deploymentId } = gatehouse.owner
  trusts = `/api/tokens/v1/deployments/${deploymentId}/ci-trusts`
  const accounts = `/api/service-accounts/v1/deployments/${deploymentId}/service-accounts`
  const made = await gatehouse.call('POST', accounts, { as: admin.jwt, body: { name: 'CI', role: 'member' } })
  account = made.body.serviceAccount.id
  const answer = await gatehouse.call('POST', trusts, { as: admin.jwt, body: trust({}) })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
})
beforeEach(async () => {
  ahead += 11 * 60_000
  delete issuer.control.configuration
  admin.jwt = await gatehouse.signIn(admin.email, admin.password)
})
after(async () => {
  await gatehouse.close()
  await issuer.close()
})

const trust = (more: object) => ({
  name: 'Our organisation',
  serviceAccountId: account,
  provider: 'github',
  issuer: issuer.url,
  audience,
  conditions: [{ claim: 'repository_owner_id', values: ['4711'] }],
  permissions: ['scans:write', 'scans:read', 'repositories:read'],
  ...more,
})
const push = {
  aud: audience,
  repository: 'shop/web',
  repository_id: '1',
  repository_owner: 'shop',
  repository_owner_id: '4711',
  ref: 'refs/heads/main',
  sha,
  run_id: '99',
}
const pull = { ...push, ref: 'refs/pull/17/merge', head_ref: 'feature/x', base_ref: 'main' }
const files = { 'go.mod': 'module example.com/a\n\nrequire golang.org/x/text v0.3.0\n' }

function exchange(subject_token: string, more: object = {}) {
  const body = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token,
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    deployment_id: String(gatehouse.owner.deploymentId),
    ...more,
  }
  return gatehouse.call('POST', '/api/tokens/v1/exchange', { as: '', body })
}

async function tokenFor(claims: object): Promise<string> {
  const answer = await exchange(await issuer.sign({ ...claims }))
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.access_token
}

const refused = async (token: string, why: string, more: object = {}) => {
  const answer = await exchange(token, more)
  assert.deepEqual([why, answer.status, answer.body.code], [why, 401, 'unauthenticated'])
  assert.equal(answer.body.detail, 'No CI trust of this deployment accepts this token.', why)
}

test('a job gets a token of 15 minutes that uploads for its own repository and ref', async () => {
  const form = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: await issuer.sign(push),
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    audience,
    deployment_id: String(gatehouse.owner.deploymentId),
  })
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const answer = await gatehouse.call('POST', '/api/tokens/v1/exchange', {
    as: '',
    body: form.toString(),
    headers: type,
  })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const { access_token: as, ...rest } = answer.body
  assert.deepEqual(rest, {
    issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    token_type: 'Bearer',
    expires_in: 900,
    scope: 'scans:write scans:read repositories:read',
    repository: 'shop/web',
    ref: 'main',
  })
  const sent = await upload(gatehouse, { repository: 'shop/web', ref: 'main', commit: sha }, files, { as })
  assert.deepEqual([sent.status, sent.body.createdRepository], [200, true], JSON.stringify(sent.body))
  ahead += 15 * 60_000
  const late = await gatehouse.call('GET', '/api/tokens/v1/self', { as })
  assert.deepEqual([late.status, late.body.code], [401, 'token_expired'])
})

test('a job cannot report for another repository, ref, commit or pull request', async () => {
  await upload(gatehouse, { repository: 'shop/other', ref: 'main' }, files)
  const asPush = await tokenFor(push)
  const asPull = await tokenFor(pull)
  const ofPull = { kind: 'SCAN_KIND_PULL_REQUEST', pullRequest: 17, baseRef: 'main', ref: 'feature/x' }
  const cases: [as: string, scan: object, pointer: string][] = [
    [asPush, { repository: 'shop/other', ref: 'main' }, '/repository'],
    [asPush, { repository: 'shop/new', ref: 'main' }, '/repository'],
    [asPush, { repository: 'shop/web', ref: 'release' }, '/ref'],
    [asPush, { repository: 'shop/web', ref: 'main', commit: '2'.repeat(40) }, '/commit'],
    [asPush, { repository: 'shop/web', ...ofPull, ref: 'main' }, '/pullRequest'],
    [asPull, { repository: 'shop/web', ref: 'main' }, '/ref'],
    [asPull, { repository: 'shop/web', ref: 'feature/x' }, '/pullRequest'],
    [asPull, { repository: 'shop/web', ...ofPull, pullRequest: 18 }, '/pullRequest'],
    [asPull, { repository: 'shop/web', ...ofPull, baseRef: 'release' }, '/baseRef'],
  ]
  for (const [as, scan, pointer] of cases) {
    const answer = await upload(gatehouse, scan, files, { as })
    assert.deepEqual([scan, answer.status, answer.body.code], [scan, 403, 'forbidden'])
    assert.equal(answer.body.errors[0].pointer, pointer, JSON.stringify(scan))
  }
  assert.equal((await upload(gatehouse, { repository: 'shop/web', ...ofPull }, files, { as: asPull })).status, 200)
  const path = endPullRequest.path.replace(':deploymentId', String(gatehouse.owner.deploymentId))
  const ended = (as: string, body: object) => gatehouse.call('POST', path, { as, body })
  assert.equal((await ended(asPull, { repository: 'shop/web', pullRequest: 18 })).status, 403)
  assert.equal((await ended(asPush, { repository: 'shop/web', pullRequest: 17 })).status, 403)
  assert.equal((await ended(asPull, { repository: 'shop/other', pullRequest: 17 })).status, 403)
  assert.equal((await ended(asPull, { repository: 'shop/web', pullRequest: 17 })).status, 200)
  const branches = endBranch.path.replace(':deploymentId', String(gatehouse.owner.deploymentId))
  const gone = { repository: 'shop/web', ref: 'gone' }
  const asFeature = await tokenFor({ ...push, ref: 'refs/heads/feature' })
  for (const [as, status] of [
    [asPull, 403],
    [asFeature, 403],
    [asPush, 200],
  ] as const)
    assert.equal((await gatehouse.call('POST', branches, { as, body: gone })).status, status)
})

test('a job of a tag does not speak for the branch of that name', async () => {
  await upload(gatehouse, { repository: 'shop/tagged', ref: 'main' }, files)
  const claims = { ...push, repository: 'shop/tagged', repository_id: '31' }
  const asTag = await tokenFor({ ...claims, ref: 'refs/tags/main' })
  for (const ref of ['main', 'refs/tags/main']) {
    const sent = await upload(gatehouse, { repository: 'shop/tagged', ref }, files, { as: asTag })
    assert.deepEqual([sent.status, sent.body.scan?.ref], [200, 'refs/tags/main'], JSON.stringify(sent.body))
    assert.equal(sent.body.scan.isInventory, false)
  }
  const asBranch = await tokenFor({ ...claims, ref: 'refs/heads/main' })
  const crossed = await upload(gatehouse, { repository: 'shop/tagged', ref: 'refs/tags/main' }, files, { as: asBranch })
  assert.equal(crossed.status, 403)
  for (const ref of ['refs/heads/refs/tags/main', 'refs/heads/refs/heads/main']) {
    await refused(await issuer.sign({ ...claims, ref }), `a branch that looks like a whole ref: ${ref}`)
  }
})

test('it sees its own repository and does what the trust says, and nothing else', async () => {
  const as = await tokenFor(push)
  const { deploymentId } = gatehouse.owner
  const seen = await gatehouse.call('GET', `/api/repositories/v1/deployments/${deploymentId}/repositories`, { as })
  assert.deepEqual(
    seen.body.repositories.map((each: { name: string }) => each.name),
    ['shop/web'],
  )
  const scans = await gatehouse.call('GET', scansPath(deploymentId), { as })
  const repositories = new Set(scans.body.scans.map((each: { repositoryId: number }) => each.repositoryId))
  assert.deepEqual([...repositories], [seen.body.repositories[0].id])
  for (const path of [`/api/people/v1/deployments/${deploymentId}/people`, trusts]) {
    assert.equal((await gatehouse.call('GET', path, { as })).status, 403)
  }
  const more = await gatehouse.call('POST', `/api/tokens/v1/deployments/${deploymentId}/tokens`, {
    as,
    body: { name: 'longer' },
  })
  assert.equal(more.status, 403)
})

test('a job makes no token that would neither be bound nor end with the trust, also where package clients sign in', async () => {
  const body = trust({ name: 'packages', audience: 'packages', permissions: ['packages:read'] })
  assert.equal((await gatehouse.call('POST', trusts, { as: admin.jwt, body })).status, 200)
  const password = await tokenFor({ ...push, aud: 'packages' })
  const path = `/firewall/${gatehouse.owner.deploymentId}/npm/-/user/org.couchdb.user:ci`
  const login = await gatehouse.call('PUT', path, { as: '', body: { name: 'ci', password } })
  assert.equal(login.status, 403, JSON.stringify(login.body))
})

test('what no database keeps is refused like everything else', async () => {
  const unsigned = (iss: string) => new UnsecuredJWT({ ...push, iss, sub: 'x' }).encode()
  await refused(unsigned('a\0b'), 'an issuer that cannot be looked for')
  await refused(await issuer.sign({ ...push, repository: 'shop\0web' }), 'a repository that cannot be named')
  await refused(await issuer.sign({ ...push, repository: 'shop/web\n' }), 'a name of two lines')
  assert.equal((await exchange(await issuer.sign({ ...push, sub: 'a\0b', run_id: 'a\0b' }))).status, 200)
})

test('claims that look alike, other audiences, old tokens and unsigned ones are refused alike', async () => {
  const sign = (claims: object) => issuer.sign({ ...push, ...claims })
  const now = Math.floor(clock.now().getTime() / 1000)
  await refused(await sign({ repository_owner_id: '47110' }), 'a longer id')
  await refused(await sign({ repository_owner_id: ' 4711' }), 'a blank')
  await refused(await sign({ repository_owner_id: ['4711'] }), 'a list')
  await refused(await sign({ repository_owner_id: undefined, repository_owner: '4711' }), 'the id as a name')
  await refused(await sign({ repository_owner_id: '４７１１' }), 'digits of another script')
  await refused(await sign({ aud: 'https://elsewhere.example.com' }), 'another audience')
  await refused(await sign({ aud: `${audience}/` }), 'an audience that looks alike')
  await refused(await sign({ aud: undefined }), 'no audience')
  await refused(await sign({}), 'another audience asked for', { audience: 'https://elsewhere.example.com' })
  await refused(await sign({ exp: now - 60 }), 'expired')
  await refused(await sign({ exp: undefined }), 'without an end')
  await refused(await sign({ nbf: now + 600 }), 'not valid yet')
  await refused(await sign({ iat: now + 60 }), 'issued in the future')
  assert.equal((await exchange(await sign({ iat: now + 20 }))).status, 200, 'a clock that is a little fast')
  await refused(await sign({ ref: undefined }), 'no ref')
  await refused(new UnsecuredJWT({ ...push, iss: issuer.url, iat: now, exp: now + 600, sub: 'x' }).encode(), 'alg none')
  const shared = new SignJWT({ ...push, iss: issuer.url, iat: now, exp: now + 600, sub: 'x' })
  const { keys } = (await (await fetch(`${issuer.url}/jwks`)).json()) as { keys: { n: string }[] }
  const hmac = await shared.setProtectedHeader({ alg: 'HS256', kid: 'key-1' }).sign(Buffer.from(keys[0]!.n))
  await refused(hmac, 'the public key as a shared secret')
  const whole = await sign({})
  const [head, body, signature] = whole.split('.') as [string, string, string]
  const changed = Buffer.from(
    JSON.stringify({ ...JSON.parse(Buffer.from(body, 'base64url').toString()), repository: 'shop/x' }),
  )
  await refused(`${head}.${changed.toString('base64url')}.${signature}`, 'changed after it was signed')
  await refused('not.a.token.at.all.really', 'not a token')
  await refused(whole, 'another deployment', { deployment_id: '999999' })
  assert.equal((await exchange(whole)).status, 200)
})

test('another issuer with the same key id speaks for itself alone, and nobody asks one that is not trusted', async () => {
  const other = await startCiIssuer({ clock })
  try {
    await refused(await other.sign(push), 'an issuer that is not trusted')
    assert.deepEqual(other.seen, [])
    await refused(await other.sign({ ...push, iss: issuer.url }), 'signed by another with the same key id')
    const body = trust({
      name: 'Other',
      issuer: other.url,
      conditions: [{ claim: 'repository_owner_id', values: ['1'] }],
    })
    assert.equal((await gatehouse.call('POST', trusts, { as: admin.jwt, body })).status, 200)
    await refused(await other.sign(push), 'a trust of another issuer')
    const theirs = await other.sign({ ...push, repository: 'other/one', repository_owner_id: '1' })
    assert.equal((await exchange(theirs)).status, 200)
    await refused(await other.sign({ ...push, iss: issuer.url }), 'also when both are trusted')
    other.control.configuration = { issuer: issuer.url }
    ahead += 11 * 60_000
    const lying = await exchange(await other.sign({ ...push, repository_owner_id: '1' }))
    assert.deepEqual([lying.status, lying.body.code], [503, 'unavailable'], 'it calls itself by another name')
  } finally {
    await other.close()
  }
})

test('keys rotate: a new one is found, an old one no longer counts', async () => {
  const before = await issuer.sign(push)
  assert.equal((await exchange(before)).status, 200)
  ahead += 60_000
  await issuer.rotate('key-2')
  assert.equal((await exchange(await issuer.sign(push))).status, 200)
  await refused(before, 'signed with the key of before')
  const asked = issuer.seen.length
  for (let i = 0; i < 5; i++) await refused(await issuer.sign(push, { kid: `invented-${i}` }), 'an invented key')
  assert.ok(issuer.seen.length - asked <= 2, 'invented keys do not make us ask again and again')
})

test('a name keeps to the repository that came with it first', async () => {
  await tokenFor({ ...push, repository: 'shop/kept', repository_id: '7' })
  await refused(await issuer.sign({ ...push, repository: 'shop/kept', repository_id: '8' }), 'another of the same name')
  await tokenFor({ ...push, repository: 'shop/kept', repository_id: '7' })
})

test('GitLab and others: merge requests and claims of one’s own choice', async () => {
  const gitlab = trust({
    name: 'GitLab',
    provider: 'gitlab',
    audience: 'gitlab',
    conditions: [{ claim: 'namespace_id', values: ['72'] }],
  })
  assert.equal((await gatehouse.call('POST', trusts, { as: admin.jwt, body: gitlab })).status, 200)
  const job = { aud: 'gitlab', project_path: 'group/app', project_id: '22', namespace_id: '72', ref: 'fix', sha }
  const merge = await tokenFor({ ...job, ref_type: 'branch', ref_path: 'refs/merge-requests/5/head' })
  const scan = { repository: 'group/app', ref: 'fix', kind: 'SCAN_KIND_PULL_REQUEST', pullRequest: 5, baseRef: 'main' }
  assert.equal((await upload(gatehouse, scan, files, { as: merge })).status, 200)
  assert.equal((await upload(gatehouse, { repository: 'group/app', ref: 'fix' }, files, { as: merge })).status, 403)
  const tag = await tokenFor({ ...job, ref_type: 'tag', ref_path: 'refs/tags/fix' })
  const tagged = await upload(gatehouse, { repository: 'group/app', ref: 'fix' }, files, { as: tag })
  assert.deepEqual([tagged.status, tagged.body.scan.ref], [200, 'refs/tags/fix'])
  await refused(await issuer.sign({ ...push, aud: 'gitlab' }), 'the audience of another trust')
  const other = trust({
    name: 'Buildkite',
    provider: 'other',
    audience: 'other',
    conditions: [{ claim: 'pipeline_id', values: ['p-1'] }],
    repositoryClaim: 'slug',
    refClaim: 'build_branch',
  })
  assert.equal((await gatehouse.call('POST', trusts, { as: admin.jwt, body: other })).status, 200)
  const as = await tokenFor({ aud: 'other', pipeline_id: 'p-1', slug: 'other/app', build_branch: 'main' })
  assert.equal((await upload(gatehouse, { repository: 'other/app', ref: 'main' }, files, { as })).status, 200)
  assert.equal((await upload(gatehouse, { repository: 'other/app', ref: 'x' }, files, { as })).status, 403)
})

test('a trust is made by a signed-in admin, on ids that cannot be taken over, and ends with its tokens', async () => {
  const make = (body: object, as = admin.jwt) => gatehouse.call('POST', trusts, { as, body })
  assert.equal((await make(trust({ name: 'a' }), admin.token)).status, 403)
  const cases: [more: object, status: number, pointer: string][] = [
    [{ conditions: [{ claim: 'repository', values: ['shop/web'] }] }, 422, '/conditions'],
    [{ provider: 'gitlab', conditions: [{ claim: 'project_path', values: ['a/b'] }] }, 422, '/conditions'],
    [{ issuer: 'http://ci.example.com' }, 422, '/issuer'],
    [{ issuer: 'https://user:pw@ci.example.com' }, 422, '/issuer'],
    [{ provider: 'other' }, 422, '/repositoryClaim'],
    [{ refClaim: 'ref' }, 422, '/refClaim'],
    [{ serviceAccountId: admin.id }, 422, '/serviceAccountId'],
    [{ permissions: ['tokens:write'] }, 400, '/permissions/0'],
    [{ conditions: [] }, 400, '/conditions'],
  ]
  for (const [more, status, pointer] of cases) {
    const answer = await make(trust({ name: 'bad', ...more }))
    assert.deepEqual([more, answer.status, answer.body.errors[0].pointer], [more, status, pointer])
  }
  assert.equal((await make(trust({ name: 'our ORGANISATION' }))).status, 409)
  const body = trust({ name: 'short', audience: 'short' })
  const { id } = (await make(body)).body.trust
  const claims = { ...push, aud: 'short' }
  const first = await tokenFor(claims)
  const address = `${trusts}/${id}`
  const self = async (as: string) => (await gatehouse.call('GET', '/api/tokens/v1/self', { as })).status
  assert.equal(await self(first), 200)
  const changed = await gatehouse.call('PUT', address, {
    as: admin.jwt,
    body: { ...body, permissions: ['scans:read'] },
  })
  assert.equal(changed.status, 200, JSON.stringify(changed.body))
  await poll('the token of before ends', async () => (await self(first)) === 401, 30_000)
  const second = await tokenFor(claims)
  assert.equal((await upload(gatehouse, { repository: 'shop/web', ref: 'main' }, files, { as: second })).status, 403)
  assert.equal((await gatehouse.call('DELETE', address, { as: admin.token })).status, 200)
  await poll('its token ends with it', async () => (await self(second)) === 401, 30_000)
  await refused(await issuer.sign(claims), 'no trust any more')
  const listed = await gatehouse.call('GET', trusts, { as: admin.token })
  assert.equal(
    listed.body.trusts.some((each: { id: number }) => each.id === id),
    false,
  )
})

test('every exchange is in the audit log', async () => {
  await tokenFor(push)
  const log = await gatehouse.call('GET', `/api/audit/v1/deployments/${gatehouse.owner.deploymentId}/events?pageSize=5`)
  const event = log.body.events.find((each: { action: string }) => each.action === 'token.exchange')
  assert.deepEqual([event.personId, event.detail.repository, event.detail.run], [account, 'shop/web', '99'])
})

test('a job of another CI system cannot report for a repository, nor by another trust', async () => {
  const elsewhere = await startCiIssuer({ clock })
  const add = async (more: object) => {
    const answer = await gatehouse.call('POST', trusts, { as: admin.jwt, body: trust(more) })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.id ?? answer.body.trust.id
  }
  await tokenFor({ ...push, repository: 'shop/first', repository_id: '70' })
  const named = { ...push, repository: 'shop/first' }
  const second = await add({ name: 'Contractors', issuer: elsewhere.url })
  await refused(await elsewhere.sign({ ...named, repository_id: '70' }), 'the same id elsewhere')
  const other = { provider: 'other', repositoryClaim: 'repository', refClaim: 'ref', conditions: [] }
  const condition = [{ claim: 'team', values: ['builds'] }]
  await add({ ...other, name: 'Builds', issuer: elsewhere.url, audience: 'builds', conditions: condition })
  await refused(await elsewhere.sign({ ...named, aud: 'builds', team: 'builds' }), 'without an id')
  const single = [{ claim: 'repository_id', values: ['70', '71'] }]
  await add({ name: 'Two repositories', audience: 'two', conditions: single })
  await refused(await issuer.sign({ ...named, aud: 'two', repository_id: '71' }), 'another id by another trust')
  assert.equal((await exchange(await issuer.sign({ ...named, aud: 'two', repository_id: '70' }))).status, 200)

  // A name that nobody has had is for the first, also of those who come at once.
  const claims = { ...push, repository: 'shop/raced', repository_id: '72' }
  const tokens = await Promise.all([issuer.sign(claims), elsewhere.sign(claims), issuer.sign(claims)])
  const answers = await Promise.all(tokens.map((token) => exchange(token)))
  const [ours, theirs] = [answers[0]!.status, answers[1]!.status]
  assert.deepEqual([ours, theirs].sort(), [200, 401])

  // Whoever forgets the trust that has the name gives it away.
  const moved = { ...push, repository: 'shop/moved', repository_id: '73' }
  assert.equal((await exchange(await elsewhere.sign(moved))).status, 200)
  await refused(await issuer.sign(moved), 'before the trust is gone')
  assert.equal((await gatehouse.call('DELETE', `${trusts}/${second}`, { as: admin.jwt })).status, 200)
  assert.equal((await exchange(await issuer.sign(moved))).status, 200)
  await elsewhere.close()
})
