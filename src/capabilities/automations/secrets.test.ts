import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql, { raw } from 'sql-template-tag'
import { type Answer, openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { automationsOf } from '../../../test/servers/automation-gatehouse.ts'
import { poll } from '../../../test/servers/real-process.ts'
import { type LocalServer, startLocalServer } from '../../sandbox/local-server.ts'
import { createKeyRotation } from '../../vault/rotation/key-rotation.ts'

const words = {
  path: 'canaryinpath',
  query: 'canaryinquery',
  key: Buffer.from('canary in the signing key').toString('base64'),
}
const secret = `whsec_${words.key}`

let gatehouse: TestGatehouse
let receiver: LocalServer
let own: ReturnType<typeof automationsOf>
let status = 500
const lines: string[] = []
before(async () => {
  receiver = await startLocalServer(({ path, query }) => ({ status, body: `${path} ${query} ${secret}` }))
  gatehouse = await openGatehouse({
    env: { GATEHOUSE_EGRESS_ALLOW: '127.0.0.1', GATEHOUSE_LOG_LEVEL: 'info' },
    log: (line) => lines.push(line),
    worker: { pollSeconds: 0.05, maxAttempts: 2, backoff: { firstSeconds: 0.01, factor: 1, mostSeconds: 0.01 } },
  })
  own = automationsOf(gatehouse)
})
after(async () => {
  await gatehouse.close()
  await receiver.close()
})

const urlAt = (origin: string) => `${origin}/${words.path}?token=${words.query}`
const webhook = (config: object) => ({
  name: 'Tell',
  triggerSource: 'TRIGGER_SOURCE_SCAN',
  filters: { mode: 'MODE_ALL', conditions: [] },
  actions: [{ type: 'ACTION_TYPE_WEBHOOK', config }],
})

test('no answer, log line, metric, audit event, job or row shows what a webhook keeps secret', async () => {
  const answers: Answer[] = []
  const ask = async (...request: Parameters<typeof gatehouse.call>) => {
    const answer = await gatehouse.call(...request)
    answers.push(answer)
    return answer.body
  }
  const good = { url: urlAt(receiver.url), secret }
  const { automation } = await ask('POST', own.path, { body: webhook(good) })
  const unreachable = await ask('POST', own.path, { body: webhook({ ...good, url: urlAt('http://127.0.0.1:1') }) })
  const inside = await ask('POST', own.path, { body: webhook({ ...good, url: urlAt('https://169.254.169.254') }) })
  for (const bad of [
    { url: urlAt('ftp://example.com'), secret },
    { url: urlAt('https://user:canaryinpath@example.com'), secret },
    { url: `${urlAt(receiver.url)}\n`, secret: `${secret}!` },
    { url: [urlAt(receiver.url)], secret: { secret } },
    { url: urlAt('https://example.com'), secret: `whsec_${words.key.slice(0, 8)}`, to: [words.path] },
  ]) {
    await ask('POST', own.path, { body: webhook(bad) })
    await ask('PATCH', `${own.path}/${automation.id}`, { body: { actions: webhook(bad).actions } })
  }
  await own.scan('auto/canary', [{ code: 'a' }])
  for (const each of [automation, unreachable.automation, inside.automation]) {
    const [run] = await own.settled(each.id)
    assert.deepEqual([run.status, run.error === ''], ['RUN_STATUS_DEAD', false])
    await ask('GET', `${own.path}/${each.id}/runs`)
  }
  await ask('GET', own.path)
  await ask('POST', `${own.path}/${automation.id}/dry-run`, { body: {} })
  await ask('GET', `/api/jobs/v1/deployments/${gatehouse.owner.deploymentId}/dead-letters`)
  await ask('GET', `/api/audit/v1/deployments/${gatehouse.owner.deploymentId}/events?pageSize=100`)
  await ask('GET', '/metrics')
  const view = gatehouse.db.as(gatehouse.owner)
  const rows = []
  for (const table of ['automation', 'automation_action', 'automation_run', 'outbox', 'idempotency_key']) {
    rows.push(...(await view.query(raw(`select t::text from ${table} t`))))
  }
  assert.ok(rows.length > 8 && lines.length > 15 && receiver.seen.length > 0)
  assert.equal(answers.filter((answer) => answer.status === 400).length, 10)
  const everything = JSON.stringify([answers.map(({ body }) => body), rows, lines])
  for (const [name, word] of Object.entries({ ...words, part: words.key.slice(0, 8) })) {
    assert.ok(!everything.includes(word), `${name} is shown somewhere`)
  }
})

test('a rotation of keys takes the secrets along', async () => {
  status = 200
  const { id, actions } = await own.create({ actions: webhook({ url: urlAt(receiver.url), secret }).actions })
  const version = async () => {
    const [row] = await gatehouse.db
      .as(gatehouse.owner)
      .query<{ version: string }>(
        sql`select secret ->> 'keyVersion' as version from automation_action where id = ${Number(actions[0].id)}`,
      )
    return Number(row!.version)
  }
  const before = await version()
  await createKeyRotation(gatehouse, 'a test').rotateDeployment(gatehouse.owner.deploymentId)
  assert.equal(await version(), before + 1)
  await own.scan('auto/rotated', [{ code: 'a' }])
  const [run] = await own.settled(id)
  assert.equal(run.status, 'RUN_STATUS_DONE')
  assert.deepEqual(receiver.seen.at(-1)!.path, [words.path])
})

test('a webhook that is changed without its secret, while a rotation is at it, keeps what the rotation sealed', async () => {
  const { id, actions } = await own.create({ actions: webhook({ url: urlAt(receiver.url), secret }).actions })
  const body = { name: 'Renamed', actions: [{ id: actions[0].id, type: 'ACTION_TYPE_WEBHOOK' }] }
  let changing: Promise<Answer> | undefined
  const midway: typeof gatehouse.db.transaction = (actor, work) =>
    gatehouse.db.transaction(actor, async (tx) => {
      const result = await work(tx)
      // The secret is sealed again and not committed: now somebody else writes the same row.
      if (!changing && (result as { moved?: number })?.moved) {
        changing = gatehouse.call('PATCH', `${own.path}/${id}`, { body })
        await poll('the change waits for the rotation', async () => (await tx.query(waiting)).length > 0)
      }
      return result
    })
  const keeper = createKeyRotation({ db: { ...gatehouse.db, transaction: midway }, ring: gatehouse.ring }, 'a test')
  const { keyVersion } = await keeper.rotateDeployment(gatehouse.owner.deploymentId)
  const answer = await changing!
  assert.deepEqual([answer.status, answer.body.automation?.name], [200, 'Renamed'])
  const rows = await gatehouse.db
    .as(gatehouse.owner)
    .query(sql`select distinct secret ->> 'keyVersion' as version from automation_action where secret is not null`)
  assert.deepEqual(rows, [{ version: keyVersion }])
})

const waiting = sql`select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`

test('two webhooks whose sealed secrets were swapped deliver nothing', async () => {
  const action = (path: string) => ({ type: 'ACTION_TYPE_WEBHOOK', config: { url: `${receiver.url}/${path}`, secret } })
  const { id, actions } = await own.create({ actions: [action('first'), action('second')] })
  const [a, b] = actions.map(({ id: one }: { id: string }) => Number(one))
  await gatehouse.db.transaction({ ...gatehouse.owner, personId: 0, tokenId: 0 } as never, (tx) =>
    tx.query(sql`update automation_action mine set secret = other.secret from automation_action other
      where mine.id in (${a}, ${b}) and other.id = ${a}::bigint + ${b}::bigint - mine.id`),
  )
  await own.scan('auto/swapped', [{ code: 'a' }])
  const runs = await own.settled(id)
  assert.deepEqual(
    runs.map(({ status: each }: { status: string }) => each),
    ['RUN_STATUS_DEAD', 'RUN_STATUS_DEAD'],
  )
  assert.deepEqual(
    receiver.seen.filter(({ path }) => ['first', 'second'].includes(path[0]!)),
    [],
  )
})
