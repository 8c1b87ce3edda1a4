import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import pg from 'pg'
import sql, { raw } from 'sql-template-tag'
import { contracts } from '../src/compose/contracts.ts'
import { permissions, roles } from '../src/kernel/access/permission.ts'
import type { Endpoint } from '../src/kernel/contract/endpoint.ts'
import { type Answer, openGatehouse, type Request, type TestGatehouse } from './gatehouse.ts'
import { existingIds, pathFor, sampleOf } from './sample-requests.ts'

let gatehouse: TestGatehouse
let own: { id: number; as: string }
let other: { id: number; as: string }
before(async () => {
  gatehouse = await openGatehouse()
  own = { id: gatehouse.owner.deploymentId, as: gatehouse.owner.token }
  other = await gatehouse.addDeployment()
})
after(() => gatehouse.close())

const bound = contracts.filter((contract) => contract.path.includes(':deploymentId'))
/** Of other products, whose clients name no deployment. */
const boundByToken = contracts.filter((contract) => contract.protocol && contract.security !== 'none')
const boundByBody = contracts.filter((contract) => contract.deploymentIn === 'body')

function ask(contract: Endpoint, path: string, request: Request): Promise<Answer> {
  return gatehouse.call(contract.method, path, contract.body ? { body: sampleOf(contract.body), ...request } : request)
}

/** For endpoints whose deployment stands in the body. */
function askInBody(contract: Endpoint, ids: Record<string, string | number>, as: string): Promise<Answer> {
  const sample = sampleOf(contract.body) as Record<string, unknown>
  const named = Object.entries(ids).filter(([name]) => name in sample)
  const body = { ...sample, ...Object.fromEntries(named.map(([name, id]) => [name, String(id)])) }
  return gatehouse.call(contract.method, contract.path, { as, body })
}

/** An answer without what differs from request to request and from path to path. */
function essence({ status, body }: Answer, path: string): string {
  // Told apart from the ids: a small one may be a digit of it.
  const text = JSON.stringify({ ...body, status: '', requestId: '', instance: '' })
  const ids = path.split('/').filter((part) => /^\d+$/.test(part))
  return `${status} ${ids.sort((a, b) => b.length - a.length).reduce((all, id) => all.replaceAll(id, '#'), text)}`
}

test('no credentials, no answer: every endpoint that is not open refuses', async () => {
  for (const contract of contracts.filter((each) => each.security !== 'none')) {
    const answer = await ask(contract, pathFor(contract, { deploymentId: own.id }), { as: '' })
    assert.equal(answer.status, 401, contract.id)
    if (contract.protocol) continue
    assert.equal(answer.headers.get('content-type'), 'application/problem+json; charset=utf-8', contract.id)
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer realm="gatehouse"', contract.id)
  }
})

/** Open on purpose. Whoever adds to this list explains it here. */
const openToEveryone = {
  login: 'it is how one gets credentials',
  openSession: 'it is how a browser gets credentials',
  beginPasskeySignIn: 'a challenge, which names nobody',
  signInWithPasskey: 'the passkey is the credential',
  refresh: 'the refresh token is the credential',
  getJwks: 'public keys are public',
  getHealth: 'probes have no credentials; it tells nothing',
  getReadiness: 'probes have no credentials; it tells nothing',
  receiveDevopsEvent: 'the secret of the webhook is the credential',
  receiveCodeHostEvent: 'the signature of the event, or its secret, is the credential',
  showInvitation: 'the token of the link is the credential',
  acceptInvitation: 'the token of the link is the credential; it is how one gets an account',
  requestPasswordReset: 'who has forgotten their password has no credentials; the answer is the same for every address',
  resetPassword: 'the token of the link is the credential',
  startProviderSignIn: 'it leads to the provider, which knows who it is; nothing is said about anybody',
  finishProviderSignIn: 'the answer of the provider is the credential',
  listProviderButtons:
    'the sign-in page shows them before anybody is known; they are of a domain, whoever has an account there',
  backChannelLogout: 'the token that the provider signed is the credential',
  exchangeToken: 'the token of the CI system is the credential; all that are refused get one answer',
  dtrackVersion: 'clients of Dependency-Track ask it before they have a key; it tells a fixed number',
  startDeviceSignIn: 'a program that asks to be signed in has no credentials yet; a person decides',
  pollDeviceSignIn: 'the device code is the credential',
  getProtectedResource: 'programs ask it to find out how to get a token; it tells addresses',
  getAuthorizationServer: 'programs ask it to find out how to get a token; it tells addresses',
  registerProgram:
    'a program that asks to be connected has no credentials yet; a person decides, and nothing is stored',
  getProgramToken: 'the code, or the refresh token, is the credential',
  endProgramToken: 'the token is the credential; the answer is the same for all',
}

test('the endpoints open to everyone are exactly the known ones', () => {
  const open = contracts.filter((contract) => contract.security === 'none' || contract.permission === 'anyone')
  assert.deepEqual(open.map((contract) => contract.id).sort(), Object.keys(openToEveryone).sort())
})

/** No deployment in the path: they answer with what belongs to the caller. */
const aboutTheCaller = [
  'confirmProviderLink',
  'createDeployment',
  'listDeployments',
  'introspectSelf',
  'revokeSelf',
  'logout',
  'getSession',
  'endSession',
  'reauthenticate',
  'changePassword',
  'joinDeployment',
  'listOwnSessions',
  'endOwnSession',
  'showProgramRequest',
  'getOwnFactors',
  'beginAuthenticatorApp',
  'confirmAuthenticatorApp',
  'removeAuthenticatorApp',
  'beginPasskey',
  'addPasskey',
  'removePasskey',
  'renewRecoveryCodes',
  // About the machine, for its operators.
  'getSystemStatus',
]

test('every other endpoint is bound to a deployment and a permission', () => {
  const unbound = contracts.filter(
    (contract) =>
      contract.security !== 'none' &&
      !bound.includes(contract) &&
      contract.deploymentIn !== 'body' &&
      !boundByToken.includes(contract),
  )
  assert.deepEqual(unbound.map((contract) => contract.id).sort(), [...aboutTheCaller].sort())
  for (const contract of [...bound, ...boundByBody, ...boundByToken])
    assert.ok(contract.permission in permissions, contract.id)
})

test('a deployment one does not belong to answers exactly as one that does not exist', async () => {
  for (const contract of bound) {
    const foreign = pathFor(contract, { deploymentId: other.id })
    const missing = pathFor(contract, { deploymentId: 987654 })
    const as = contract.security === 'jwt' ? (await gatehouse.addPerson('owner')).jwt : own.as
    const [a, b] = [await ask(contract, foreign, { as }), await ask(contract, missing, { as })]
    assert.equal(a.status, 404, contract.id)
    assert.deepEqual(essence(a, foreign), essence(b, missing), contract.id)
  }
})

test('the same where the deployment stands in the body', async () => {
  assert.ok(boundByBody.length >= 2)
  for (const contract of boundByBody) {
    const ask = (deploymentId: number) => askInBody(contract, { deploymentId }, own.as)
    const [foreign, missing] = [await ask(other.id), await ask(987654)]
    assert.equal(foreign.status, 404, contract.id)
    assert.deepEqual(essence(foreign, `/${other.id}`), essence(missing, '/987654'), contract.id)
  }
})

test("another deployment's ids answer exactly as ids that do not exist", async () => {
  const theirs = await existingIds(gatehouse, other)
  // Which ecosystem it is says nothing about anybody: there are settings for each, in every deployment.
  // Nor does the name of a package that somebody begins to watch: nobody has to have it.
  const withIds = bound.filter(
    ({ id, path, security }) =>
      /:(?!deploymentId|ecosystem$)/.test(path) && security !== 'jwt' && id !== 'watchPackage',
  )
  assert.ok(withIds.length >= 10)
  for (const contract of withIds) {
    for (const name of contract.path.matchAll(/:([A-Za-z]+)/g)) {
      if (name[1] !== 'deploymentId') assert.ok(theirs[name[1]!], `no sample for ${name[1]} of ${contract.id}`)
    }
    const foreign = pathFor(contract, { ...theirs, deploymentId: own.id })
    // Which ecosystem it is says nothing about anybody.
    const missing = pathFor(contract, { deploymentId: own.id, ecosystem: theirs.ecosystem!, name: 'no-such' })
    const [a, b] = [await ask(contract, foreign, {}), await ask(contract, missing, {})]
    assert.equal(a.status, 404, `${contract.id} ${JSON.stringify(a.body)}`)
    const plain = (answer: Answer, path: string) =>
      String(essence(answer, path))
        .replaceAll(String(theirs.ruleboardSlug), 'no-such')
        .replaceAll(String(theirs.name), 'no-such')
        .replaceAll(`'${theirs.ruleId}'`, "'#'")
    assert.equal(plain(a, foreign), plain(b, missing), contract.id)
  }
  for (const contract of boundByBody.filter((each) => 'scmAppId' in (sampleOf(each.body) as object))) {
    const ask = (scmAppId: string | number) => askInBody(contract, { deploymentId: own.id, scmAppId }, own.as)
    const [a, b] = [await ask(theirs.scmAppId!), await ask(987654321)]
    assert.equal(a.status, 404, contract.id)
    assert.equal(essence(a, `/${theirs.scmAppId}`), essence(b, '/987654321'), contract.id)
  }
})

const malformed = ['x', '1e3', '-1', '99999999999999999999', '%F0%9F%A6%8A', "'", '1%20or%201=1', 'undefined']
const idsOf = (contract: Endpoint) => [...contract.path.matchAll(/:([A-Za-z]+)/g)].map(([, name]) => name!)

test('a malformed id answers a stranger exactly as one that is well-formed', async () => {
  const stranger = await gatehouse.addPerson('owner', other)
  for (const contract of bound) {
    const as = contract.security === 'jwt' ? stranger.jwt : other.as
    const plain = pathFor(contract, { deploymentId: own.id })
    const expected = await ask(contract, plain, { as })
    assert.equal(expected.status, 404, contract.id)
    for (const name of idsOf(contract)) {
      const text = malformed[contract.id.length % malformed.length]!
      const path = pathFor(contract, { deploymentId: own.id, [name]: text })
      const answer = await ask(contract, path, { as })
      const seen = name === 'deploymentId' ? decodeURIComponent(text).slice(0, 60) : String(own.id)
      assert.equal(answer.status, 404, `${contract.id} ${path}`)
      assert.equal(answer.body.detail, `No deployment ${seen}.`, `${contract.id} ${path}`)
      assert.deepEqual(Object.keys(answer.body), Object.keys(expected.body), contract.id)
    }
  }
})

test('to those who belong there, nothing has a malformed id that is a string on the wire; other ids are refused', async () => {
  let strings = 0
  for (const contract of bound.filter((each) => each.security !== 'jwt')) {
    for (const name of idsOf(contract).filter((each) => each !== 'deploymentId')) {
      const isString = 'x-number' in contract.params.properties[name]!
      for (const text of malformed) {
        const path = pathFor(contract, { deploymentId: own.id, [name]: text })
        const answer = await ask(contract, path, {})
        const expected = isString ? [404, 'not_found'] : [400, 'validation_failed']
        if (isString || /^integer$/.test(String((contract.params.properties[name] as { type?: string }).type)))
          assert.deepEqual([answer.status, answer.body.code], expected, `${contract.id} ${path}`)
      }
      if (isString) strings++
    }
  }
  assert.ok(strings > 25)
})

test('a webhook without its secret is refused, whatever stands where its app should', async () => {
  for (const id of ['987654321', ...malformed]) {
    const answer = await gatehouse.call('POST', `/api/scm/devops_app_webhook/${id}`, { as: '', body: {} })
    assert.deepEqual([answer.status, answer.body.code], [401, 'unauthenticated'], id)
  }
})

test('each permission is refused below its least role, with 403 and nothing changed', async () => {
  const people = {
    readonly: await gatehouse.addPerson('readonly'),
    member: await gatehouse.addPerson('member'),
    admin: await gatehouse.addPerson('admin'),
  }
  const ids = await existingIds(gatehouse, own)
  const head = () => gatehouse.call('GET', `/api/audit/v1/deployments/${own.id}/events?pageSize=1`)
  const before = (await head()).body.cursor
  let refusals = 0
  for (const contract of [...bound, ...boundByBody, ...boundByToken]) {
    const least = permissions[contract.permission as keyof typeof permissions]
    for (const role of roles.slice(0, roles.indexOf(least))) {
      const person = people[role as keyof typeof people]
      const as = contract.security === 'jwt' ? person.jwt : person.token
      const answer = boundByBody.includes(contract)
        ? await askInBody(contract, ids, as)
        : await ask(contract, pathFor(contract, ids), { as })
      // Clients of other products know other words for it, and some put their token elsewhere.
      if (contract.protocol) assert.ok([401, 403].includes(answer.status), `${contract.id} as ${role}`)
      else assert.deepEqual([answer.status, answer.body.code], [403, 'forbidden'], `${contract.id} as ${role}`)
      refusals++
    }
  }
  assert.ok(refusals > 20)
  assert.equal((await head()).body.cursor, before)
})

test('each endpoint takes only the kind of credentials that it names', async () => {
  for (const contract of bound) {
    const wrong = { token: gatehouse.owner.jwt, jwt: own.as, both: undefined, none: undefined }[contract.security]
    if (!wrong) continue
    const answer = await ask(contract, pathFor(contract, { deploymentId: own.id }), { as: wrong })
    assert.deepEqual([answer.status, answer.body.code], [403, 'wrong_credential_kind'], contract.id)
  }
})

test('path tricks open nothing', async () => {
  const path = `/api/agent/deployments/${own.id}/ruleboards`
  const foreign = `/api/agent/deployments/${other.id}/ruleboards`
  const tricks = [
    path.replace('/api', '//api'),
    `${path}/`,
    path.replace('ruleboards', 'RULEBOARDS'),
    path.replace('/agent/', '/Agent/'),
    path.replace('/agent/', '%2Fagent%2F'),
    `${path};jsessionid=1`,
    `${path}%00`,
    path.replace('/deployments', '/./deployments/..'),
    `/api/agent/deployments/${own.id}%2F..%2F${other.id}/ruleboards`,
    `/api/agent/deployments/${own.id}/../${other.id}/ruleboards`,
    `/api/agent/deployments/0${other.id}/ruleboards`,
    `/api/agent/deployments/${other.id}.0/ruleboards`,
    `/api/agent/deployments/+${other.id}/ruleboards`,
    `/api/agent/deployments/%20${other.id}/ruleboards`,
    `${foreign}?deploymentId=${own.id}`,
    `/api/agent/deployments/${own.id}/ruleboards/%2e%2e/ruleboards`,
  ]
  for (const trick of tricks) {
    const anonymous = await askRaw(trick, '')
    assert.ok([400, 401, 404].includes(anonymous.status), `${trick}: ${anonymous.status}`)
    const known = await askRaw(trick, own.as)
    assert.ok([400, 404].includes(known.status), `${trick}: ${known.status}`)
  }
})

test('row-level security shows no foreign row to a query that forgot its deployment', async () => {
  const tables = await tenantTables()
  assert.ok(tables.length >= 15)
  for (const { name, column } of tables) {
    const mine = await gatehouse.db
      .as({ deploymentId: own.id })
      .query<{ id: number }>(raw(`select distinct ${column} as id from ${name}`))
    assert.deepEqual(
      mine.filter((row) => row.id !== own.id),
      [],
      name,
    )
    const none = await gatehouse.db.as({ deploymentId: 0 }).query(raw(`select 1 from ${name} limit 1`))
    assert.deepEqual(none, [], name)
  }
  const boards = await gatehouse.db.as({ deploymentId: own.id }).query(sql`select 1 from ruleboard`)
  assert.ok(boards.length > 0)
})

test('a query that names another deployment finds and changes nothing', async () => {
  const actor = {
    deploymentId: own.id,
    personId: 1,
    tokenId: 0,
    role: 'owner',
    permissions: new Set(),
    requestId: 'test',
  } as const
  const found = await gatehouse.db.as(actor).query(sql`select 1 from ruleboard where deployment_id = ${other.id}`)
  assert.deepEqual(found, [])
  await gatehouse.db.transaction(actor as never, async (tx) => {
    const changed = await tx.query(
      sql`update ruleboard set name = 'stolen' where deployment_id = ${other.id} returning 1`,
    )
    assert.deepEqual(changed, [])
  })
  const insert = gatehouse.db.transaction(actor as never, (tx) =>
    tx.query(sql`insert into tag (deployment_id, name) values (${other.id}, 'planted')`),
  )
  await assert.rejects(insert, /row-level security/)
})

test('a rolled-back transaction leaves its connection with the right tenant', async () => {
  const actorIn = (deploymentId: number) =>
    ({ deploymentId, personId: 1, tokenId: 0, role: 'owner', permissions: new Set(), requestId: 'test' }) as never
  const deployments = [own.id, other.id]
  for (let round = 0; round < 30; round++) {
    const deploymentId = deployments[round % 2]!
    const failing = gatehouse.db.transaction(actorIn(deploymentId), async (tx) => {
      await tx.query(sql`select 1`)
      throw new Error('on purpose')
    })
    await assert.rejects(failing, /on purpose/)
    const seen = await gatehouse.db.transaction(actorIn(deploymentId), (tx) =>
      tx.query<{ id: number }>(sql`select id from deployment`),
    )
    assert.deepEqual(
      seen.map((row) => row.id),
      [deploymentId],
    )
  }
})

test('every table with a tenant has row-level security, forced, and the server owns none of them', async () => {
  const client = new pg.Client(gatehouse.connection)
  await client.connect()
  try {
    const { rows } = await client.query(`select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'public' and c.relkind in ('r', 'p') and (not c.relrowsecurity or not c.relforcerowsecurity)
        and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'deployment_id')`)
    assert.deepEqual(rows, [])
    const owned = await client.query(
      `select c.relname from pg_class c join pg_roles r on r.oid = c.relowner where r.rolname like 'gatehouse\\_%'`,
    )
    assert.deepEqual(owned.rows, [])
    const strong = await client.query(`select rolname from pg_roles where rolname like 'gatehouse\\_%'
      and (rolsuper or rolbypassrls or rolcreaterole or rolcreatedb
        -- Nodes of Citus sign in at each other as whoever works.
        or (rolcanlogin and to_regclass('pg_catalog.pg_dist_partition') is null))`)
    assert.deepEqual(strong.rows, [])
  } finally {
    await client.end()
  }
})

test('the tenant role cannot read passwords, sessions, keys or rewrite the audit log', async () => {
  const actor = {
    deploymentId: own.id,
    personId: 1,
    tokenId: 0,
    role: 'owner',
    permissions: new Set(),
    requestId: 'test',
  } as never
  for (const statement of [
    sql`select password_hash from person`,
    sql`select 1 from session`,
    sql`select 1 from password_reset`,
    sql`insert into person (email, name, password_hash) values ('planted@example.com', 'Planted', '')`,
    sql`select 1 from data_key`,
    sql`select 1 from signing_key`,
    sql`delete from audit_event`,
    sql`update audit_event set action = 'nothing'`,
    sql`update audit_head set seq = 0`,
  ]) {
    await assert.rejects(
      gatehouse.db.transaction(actor, (tx) => tx.query(statement)),
      // Accounts are added by the tenant role itself on Citus, if the policies let it.
      /permission denied|row-level security policy for table "person_/,
      statement.text,
    )
  }
})

async function tenantTables(): Promise<{ name: string; column: string }[]> {
  const client = new pg.Client(gatehouse.connection)
  await client.connect()
  try {
    const { rows } =
      await client.query(`select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
      join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'public' and c.relkind = 'r' and a.attname = 'deployment_id'`)
    return [...rows.map(({ name }) => ({ name, column: 'deployment_id' })), { name: 'deployment', column: 'id' }]
  } finally {
    await client.end()
  }
}

/** Without a client that tidies up the path first. */
function askRaw(path: string, token: string): Promise<{ status: number }> {
  const headers = token ? { authorization: `Bearer ${token}` } : {}
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(gatehouse.url)
    request({ hostname, port, path, headers }, (response) => {
      response.resume()
      response.on('end', () => resolve({ status: response.statusCode! }))
    })
      .on('error', reject)
      .end()
  })
}
