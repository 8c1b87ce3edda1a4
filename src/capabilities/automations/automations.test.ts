import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { type LocalServer, startLocalServer } from '../../sandbox/local-server.ts'

let gatehouse: TestGatehouse
let receiver: LocalServer
let path: string
before(async () => {
  receiver = await startLocalServer(() => ({}))
  gatehouse = await openGatehouse({ env: { GATEHOUSE_EGRESS_ALLOW: '127.0.0.1' } })
  path = `/api/notifications/deployments/${gatehouse.owner.deploymentId}/automations`
})
after(async () => {
  await gatehouse.close()
  await receiver.close()
})

const signingKey = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const everything = { mode: 'MODE_ALL', conditions: [] }
const block = {
  name: 'Stop',
  triggerSource: 'TRIGGER_SOURCE_SCAN',
  filters: everything,
  actions: [{ type: 'ACTION_TYPE_BLOCK' }],
}

async function create(more: object = {}) {
  const answer = await gatehouse.call('POST', path, { body: { ...block, ...more } })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.automation
}

test('an automation is made, read, listed, changed and deleted, with every field', async () => {
  const filters = {
    mode: 'MODE_ALL',
    conditions: [{ mode: 'MODE_ANY', type: 'CONDITION_TYPE_SEVERITY', values: ['SEVERITY_HIGH', 'SEVERITY_CRITICAL'] }],
  }
  const made = await create({ description: 'No high ones', filters })
  assert.deepEqual(made, {
    id: made.id,
    name: 'Stop',
    description: 'No high ones',
    active: true,
    createdBy: gatehouse.owner.email,
    updatedBy: gatehouse.owner.email,
    createdAt: made.createdAt,
    updatedAt: made.createdAt,
    internalOnly: false,
    triggerSource: 'TRIGGER_SOURCE_SCAN',
    filters,
    actions: [{ type: 'ACTION_TYPE_BLOCK', config: {}, id: made.actions[0].id }],
  })
  assert.deepEqual((await gatehouse.call('GET', `${path}/${made.id}`)).body, { automation: made })
  assert.deepEqual((await gatehouse.call('GET', path)).body, { automations: [made] })
  const admin = await gatehouse.addPerson('admin')
  const changed = await gatehouse.call('PATCH', `${path}/${made.id}`, { as: admin.token, body: { active: false } })
  const { automation } = changed.body
  assert.deepEqual(automation, { ...made, active: false, updatedBy: admin.email, updatedAt: automation.updatedAt })
  assert.deepEqual((await gatehouse.call('DELETE', `${path}/${made.id}`)).body, { automation })
  assert.equal((await gatehouse.call('GET', `${path}/${made.id}`)).status, 404)
})

test('an old If-Match changes nothing', async () => {
  const made = await create()
  const tag = (await gatehouse.call('GET', `${path}/${made.id}`)).headers.get('etag')!
  const request = { body: { name: 'Newer' }, headers: { 'if-match': tag } }
  assert.equal((await gatehouse.call('PATCH', `${path}/${made.id}`, request)).status, 200)
  assert.equal((await gatehouse.call('PATCH', `${path}/${made.id}`, request)).status, 412)
  assert.equal((await gatehouse.call('DELETE', `${path}/${made.id}`, { headers: { 'if-match': tag } })).status, 412)
})

const refused: Record<string, [object, number, string[]]> = {
  'a severity that does not exist': [
    {
      filters: {
        mode: 'MODE_ALL',
        conditions: [{ mode: 'MODE_ANY', type: 'CONDITION_TYPE_SEVERITY', values: ['HIGH'] }],
      },
    },
    400,
    ['/filters/conditions/0/values/0'],
  ],
  'any of no conditions': [{ filters: { mode: 'MODE_ANY', conditions: [] } }, 400, ['/filters/conditions']],
  'a webhook without anything': [
    { actions: [{ type: 'ACTION_TYPE_WEBHOOK' }] },
    400,
    ['/actions/0/config', '/actions/0/config'],
  ],
  'a webhook in the clear with a weak key': [
    {
      actions: [
        { type: 'ACTION_TYPE_WEBHOOK', config: { url: 'http://hooks.example.com/', secret: 'whsec_c2hvcnQ=' } },
      ],
    },
    400,
    ['/actions/0/config/url', '/actions/0/config/secret'],
  ],
  'settings of another type': [
    { actions: [{ type: 'ACTION_TYPE_BLOCK', config: { channel: 'C1' } }] },
    400,
    ['/actions/0/config/channel'],
  ],
  'to block what nobody waits for': [{ triggerSource: 'TRIGGER_SOURCE_MANUAL' }, 422, ['/actions/0/type']],
  'an action of somebody else': [{ actions: [{ type: 'ACTION_TYPE_BLOCK', id: '1' }] }, 422, ['/actions/0/id']],
}
for (const [name, [more, status, pointers]] of Object.entries(refused)) {
  test(`refused, and pointed to: ${name}`, async () => {
    const answer = await gatehouse.call('POST', path, { body: { ...block, ...more } })
    assert.equal(answer.status, status, JSON.stringify(answer.body))
    assert.deepEqual(
      answer.body.errors.map(({ pointer }: { pointer: string }) => pointer),
      pointers,
    )
  })
}

test('without a mail server there are no mails, and it says which settings are missing', async () => {
  const actions = [{ type: 'ACTION_TYPE_EMAIL', config: { to: ['somebody@example.com'] } }]
  const answer = await gatehouse.call('POST', path, { body: { ...block, actions } })
  assert.deepEqual([answer.status, answer.body.code], [409, 'not_configured'])
  assert.match(answer.body.detail, /GATEHOUSE_SMTP_URL and GATEHOUSE_SMTP_FROM/)
})

test('actions are replaced as a list; a webhook that is named keeps its secrets', async () => {
  const webhook = { type: 'ACTION_TYPE_WEBHOOK', config: { url: `${receiver.url}/hook?token=1`, secret: signingKey } }
  const triage = { type: 'ACTION_TYPE_TRIAGE', config: { triageState: 'TRIAGE_STATE_REVIEWING' } }
  const made = await create({ actions: [webhook, triage], triggerSource: 'TRIGGER_SOURCE_MANUAL' })
  assert.deepEqual(
    made.actions.map(({ type, config }: { type: string; config: object }) => [type, config]),
    [
      ['ACTION_TYPE_WEBHOOK', { origin: receiver.url }],
      ['ACTION_TYPE_TRIAGE', { triageState: 'TRIAGE_STATE_REVIEWING' }],
    ],
  )
  const [kept] = made.actions
  const change = {
    actions: [{ type: 'ACTION_TYPE_BLOCK' }, { id: kept.id, type: kept.type }],
    triggerSource: 'TRIGGER_SOURCE_SCAN',
  }
  const changed = await gatehouse.call('PATCH', `${path}/${made.id}`, { body: change })
  assert.deepEqual(changed.body.automation.actions, [
    { type: 'ACTION_TYPE_BLOCK', config: {}, id: changed.body.automation.actions[0].id },
    kept,
  ])
  const half = { actions: [{ id: kept.id, type: kept.type, config: { url: 'https://elsewhere.example.com/' } }] }
  assert.equal((await gatehouse.call('PATCH', `${path}/${made.id}`, { body: half })).status, 400)
  const otherType = { actions: [{ id: kept.id, type: 'ACTION_TYPE_TRIAGE', config: triage.config }] }
  assert.equal((await gatehouse.call('PATCH', `${path}/${made.id}`, { body: otherType })).status, 422)
})

test('patterns with wildcards are bounded over all automations together', async () => {
  const values = Array.from({ length: 120 }, (_, at) => `${'*a'.repeat(240)}${at}`)
  const conditions = [{ mode: 'MODE_ANY', type: 'CONDITION_TYPE_PATH', values }]
  const made = await create({ filters: { mode: 'MODE_ALL', conditions } })
  const second = { ...block, filters: { mode: 'MODE_ALL', conditions } }
  const refused = await gatehouse.call('POST', path, { body: second })
  assert.deepEqual([refused.status, refused.body.errors[0].pointer], [422, '/filters/conditions'])
  const other = await create()
  const changed = await gatehouse.call('PATCH', `${path}/${other.id}`, { body: { filters: second.filters } })
  assert.equal(changed.status, 422)
  // Its own are not counted twice.
  const again = await gatehouse.call('PATCH', `${path}/${made.id}`, { body: { filters: second.filters } })
  assert.equal(again.status, 200)
  for (const { id } of [made, other]) await gatehouse.call('DELETE', `${path}/${id}`)
})
