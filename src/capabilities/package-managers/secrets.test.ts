import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { openGatehouse } from '../../../test/gatehouse.ts'

const lines: string[] = []
const gatehouse = await openGatehouse({ log: (line) => lines.push(line) })
after(() => gatehouse.close())

const { deploymentId } = gatehouse.owner
const configs = `/api/agent/deployments/${deploymentId}/packagemanagerauthconfigs`

// Short, so that it would be quoted where short values are, and of letters that base64 leaves alone.
const canary = 'canary7QX'
const spellings = [canary, Buffer.from(canary).toString('base64').slice(0, -2), Buffer.from(canary).toString('hex')]
const holds = (text: string) => spellings.some((spelling) => text.includes(spelling))
/** The canary as a number. */
const digits = 739_115_846

type Body = { packageManagerConfigForInsert: object }
const config = { name: 'Secret', url: 'https://r.example.com', ecosystem: 'npm' }
const body = (sent: object): Body => ({ packageManagerConfigForInsert: sent })
const login = { username: canary, password: canary }
const wrongTypes = [canary, digits, true, [canary], { [canary]: canary }, [[{ x: canary }]], `${canary}\n`]

/** Bodies that hold the canary wherever a secret can stand, in every shape right and wrong. */
const bodies: Body[] = [
  body({ config, npm: { token: canary } }),
  body({ config, npm: { basicAuth: login } }),
  body({ config: { ...config, ecosystem: 'maven' }, maven: login }),
  body({ config: { ...config, ecosystem: 'pypi' }, pypi: login }),
  body({ config, codeArtifact: { assumeRoleArn: `arn:aws:iam::123456789012:role/${canary}` } }),
  body({ config, npm: { token: canary, basicAuth: login } }),
  body({ config, npm: { token: canary }, maven: login, pypi: login }),
  body({ config: { ...config, ecosystem: 'gomod' }, npm: { token: canary } }),
  body({ config: { ...config, ecosystem: 'gem' }, npm: { token: canary } }),
  body({ config: { ...config, requiresAuth: false }, npm: { token: canary } }),
  body({ config: { ...config, url: `https://user:${canary}@r.example.com` } }),
  body({ config: { ...config, url: `https://r.example.com/?token=${canary}` } }),
  body({ config: { ...config, url: `ftp://${canary}` } }),
  body({ config: { ...config, url: [canary] } }),
  body({ config, codeArtifact: { assumeRoleArn: canary } }),
  body({ config, npm: { token: canary.repeat(1000) } }),
  ...wrongTypes.flatMap((wrong) => [
    body({ config, npm: wrong as object }),
    body({ config, maven: wrong as object }),
    body({ config, pypi: wrong as object }),
    body({ config, codeArtifact: wrong as object }),
    body({ config, npm: { token: typeof wrong === 'string' ? { wrong } : wrong } }),
    body({ config, npm: { basicAuth: wrong } }),
    body({ config, npm: { basicAuth: { username: wrong, password: [wrong] } } }),
    body({ config, maven: { username: [wrong], password: { wrong } } }),
    body({ config, codeArtifact: { assumeRoleArn: [wrong] } }),
    body({ config, npm: { token: canary, extra: wrong } }),
  ]),
]

async function send(method: string, path: string, request: Body, headers = {}) {
  const answer = await gatehouse.call(method, path, { body: request, headers })
  const told = JSON.stringify([answer.body, ...answer.headers])
  assert.ok(!holds(told) && !told.includes(String(digits)), `${method} ${JSON.stringify(request)} → ${told}`)
  return answer
}

test('a canary in every place that takes a secret comes back in no answer', async () => {
  const { id } = (await send('POST', configs, bodies[0]!)).body.packageManagerConfig
  const statuses = new Set<number>()
  for (const [number, request] of bodies.entries()) {
    for (const [method, path] of [
      ['POST', configs],
      ['PATCH', `${configs}/${id}`],
      ['PATCH', `${configs}/987654321`],
    ] as const) {
      statuses.add((await send(method, path, request)).status)
      const again = { 'idempotency-key': `${method}-${path.length}-${number}` }
      const first = await send(method, path, request, again)
      const second = await send(method, path, request, again)
      assert.deepEqual(
        [first.status, first.body.packageManagerConfig],
        [second.status, second.body.packageManagerConfig],
      )
    }
  }
  assert.deepEqual([...statuses].sort(), [200, 400, 404, 422])
  const broken = await gatehouse.call('POST', configs, { body: `{"packageManagerConfigForInsert": {"npm": "${canary}` })
  assert.ok(!holds(JSON.stringify(broken.body)))
})

test('nor in what is listed, audited, exported or measured', async () => {
  for (const path of [
    configs,
    `/api/audit/v1/deployments/${deploymentId}/events?pageSize=1000`,
    '/metrics',
    '/openapi.json',
  ]) {
    const answer = await gatehouse.call('GET', path)
    assert.equal(answer.status, 200)
    assert.ok(!holds(JSON.stringify(answer.body)), path)
  }
  const events = (await gatehouse.call('GET', `/api/audit/v1/deployments/${deploymentId}/events?pageSize=1000`)).body
    .events
  assert.ok(events.some((event: { action: string }) => event.action === 'package-manager-config.update'))
})

test('nor in any row of the database, which is all that a backup holds', async () => {
  const rows = await everyRow()
  assert.ok(rows.some((row) => row.includes('package_manager_config') && row.includes('ciphertext')))
  assert.deepEqual(rows.filter(holds), [])
})

test('nor in an answer or the log when everything goes wrong', async () => {
  const { id } = (await send('POST', configs, bodies[0]!)).body.packageManagerConfig
  await asSuperuser((client) => client.query('alter table package_manager_config rename to mislaid'))
  for (const request of bodies.slice(0, 5)) {
    assert.equal((await send('POST', configs, request)).status, 500)
    assert.equal((await send('PATCH', `${configs}/${id}`, request)).status, 500)
  }
  await asSuperuser((client) => client.query('alter table mislaid rename to package_manager_config'))
  // A refusal by the database itself names the row that it refuses.
  await asSuperuser((client) =>
    client.query('alter table package_manager_config add constraint none check (false) not valid'),
  )
  for (const request of bodies.slice(0, 5)) assert.equal((await send('POST', configs, request)).status, 500)
  await asSuperuser((client) => client.query('alter table package_manager_config drop constraint none'))
  assert.ok(lines.some((line) => line.includes('mislaid') || line.includes('does not exist')))
})

test('no line of the log holds it', () => {
  assert.ok(lines.length > 500)
  assert.deepEqual(lines.filter(holds), [])
})

test('credentials that were swapped between rows, of one deployment or of two, do not open', async () => {
  const other = await gatehouse.addDeployment()
  const make = async (deployment: number, as: string) => {
    const path = configs.replace(`/${deploymentId}/`, `/${deployment}/`)
    const answer = await gatehouse.call('POST', path, { as, body: bodies[0] })
    return { scope: String(deployment), id: answer.body.packageManagerConfig.id as number }
  }
  const one = await make(deploymentId, gatehouse.owner.token)
  const two = await make(deploymentId, gatehouse.owner.token)
  const foreign = await make(other.id, other.as)
  const open = async ({ scope, id }: typeof one) => {
    const { rows } = await asSuperuser((client) =>
      client.query('select credentials from package_manager_config where id = $1', [id]),
    )
    const place = { record: `package-manager-config:${id}`, field: 'credentials' }
    return (await gatehouse.ring.open(scope, rows[0].credentials, place)).toString()
  }
  for (const all of [one, two, foreign]) assert.equal(await open(all), JSON.stringify({ npm: { token: canary } }))
  for (const pair of [
    [one, two],
    [one, foreign],
  ] as const) {
    await swap(pair[0].id, pair[1].id)
    for (const each of pair) await assert.rejects(open(each), { code: 'credential_unreadable' })
    await swap(pair[0].id, pair[1].id)
    for (const each of pair) await open(each)
  }
})

function swap(one: number, other: number) {
  return asSuperuser((client) =>
    client.query(
      `update package_manager_config held set credentials = other.credentials from package_manager_config other
       where (held.id, other.id) in (($1, $2), ($2, $1))`,
      [one, other],
    ),
  )
}

async function everyRow(): Promise<string[]> {
  return asSuperuser(async (client) => {
    const tables = await client.query(`select c.oid::regclass::text as name from pg_class c
      join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'public' and c.relkind = 'r'`)
    const rows: string[] = []
    for (const { name } of tables.rows) {
      const found = await client.query(`select t::text as row from ${name} t`)
      for (const { row } of found.rows) rows.push(`${name} ${row}`)
    }
    return rows
  })
}

async function asSuperuser<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(gatehouse.connection)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
