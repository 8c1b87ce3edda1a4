import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../../../test/gatehouse.ts'

let gatehouse: TestGatehouse
const path = '/api/firewall/v1/deployments/1/rules'

before(async () => {
  gatehouse = await openGatehouse()
})
after(() => gatehouse.close())

type Sent = Record<string, unknown>
const rule = (fields: Sent = {}): Sent => ({
  ecosystems: ['npm'],
  names: ['left'],
  condition: 'always',
  effect: 'refuse',
  mode: 'enforce',
  note: '',
  ...fields,
})
const put = (rules: Sent[], more: Sent = {}) =>
  gatehouse.call('PUT', path, { body: { mode: 'enforce', rules }, ...more })

test('the list is read in its order with what decides before and after it, and replaced as a whole', async () => {
  const empty = await gatehouse.call('GET', path)
  assert.deepEqual([empty.body.mode, empty.body.rules], ['enforce', []])
  const kinds = empty.body.fixed.map((each: { kind: string; place: string }) => `${each.place} ${each.kind}`)
  assert.ok(kinds.indexOf('before malicious') >= 0 && kinds.includes('after minimum_age'))
  const made = await put([rule(), rule({ names: ['@Ours/*'], effect: 'allow' })])
  assert.equal(made.status, 200, JSON.stringify(made.body))
  const [first, second] = made.body.rules
  assert.deepEqual([first.id, second.id, second.names], [1, 2, ['@Ours/*']])
  assert.equal(second.sentence, 'Let in @Ours/* of npm.')
  const { sentence: _, ...kept } = second
  const turned = await put([kept, rule({ names: ['right'] })])
  assert.deepEqual(
    turned.body.rules.map((each: { id: number }) => each.id),
    [2, 3],
    'a number is given once',
  )
  const again = await put([rule({ id: 3, names: ['right'] }), rule({ names: ['more'] })])
  assert.deepEqual(
    again.body.rules.map((each: { id: number }) => each.id),
    [3, 4],
  )
  const audit = await gatehouse.call('GET', '/api/audit/v1/deployments/1/events?pageSize=100')
  const event = audit.body.events.find((each: { action: string }) => each.action === 'firewall-rules.replace')
  assert.match(JSON.stringify(event), /Refuse right of npm/)
})

test('who changes the list says which version of it they saw', async () => {
  const etag = (await gatehouse.call('GET', path)).headers.get('etag')!
  assert.equal((await put([rule()], { headers: { 'if-match': etag } })).status, 200)
  assert.equal((await put([], { headers: { 'if-match': etag } })).status, 412)
  assert.equal((await gatehouse.call('GET', path)).body.rules.length, 1)
})

const impossible: [what: string, fields: Sent, pointer: string][] = [
  ['install scripts of Maven', { ecosystems: ['maven'], names: [], condition: 'install_script' }, 'ecosystems'],
  [
    'licences of PyPI',
    { ecosystems: ['npm', 'pypi'], names: [], condition: 'licence', licences: ['MIT'], licencesAre: 'listed' },
    'ecosystems',
  ],
  [
    'a signal that PyPI does not have',
    { ecosystems: ['pypi'], condition: 'release_signal', signals: ['new_publisher'], effect: 'hold' },
    'signals',
  ],
  ['a name that is none', { names: ['a b'] }, 'names/0'],
  ['a scope of PyPI', { ecosystems: ['npm', 'pypi'], names: ['@a/*'] }, 'names/0'],
  ['an allow for everything', { names: [], effect: 'allow' }, 'names'],
  ['an allow for nearly everything', { names: ['a*'], effect: 'allow' }, 'names/0'],
  ['an age without hours', { condition: 'younger_than' }, 'hours'],
  ['hours of nothing', { hours: 5 }, 'hours'],
  ['a hold of everything', { effect: 'hold' }, 'condition'],
  ['a time for what is refused', { holdHours: 5 }, 'holdHours'],
  ['two times', { condition: 'younger_than', hours: 5, effect: 'hold', holdHours: 5 }, 'holdHours'],
  ['an allow that only watches', { effect: 'allow', mode: 'monitor' }, 'mode'],
  ['a lookup for good', { condition: 'release_signal', signals: ['young_dependency'] }, 'signals'],
  ['sparing of what is not refused', { effect: 'warn', spareInUse: true }, 'spareInUse'],
  ['a number of no rule', { id: 99 }, 'id'],
]

for (const [what, fields, pointer] of impossible) {
  test(`${what}: 422, and nothing is saved`, async () => {
    const before = (await gatehouse.call('GET', path)).body.rules
    const answer = await put([rule({ names: ['fine'] }), rule(fields)])
    assert.deepEqual([answer.status, answer.body.errors?.[0].pointer], [422, `/rules/1/${pointer}`])
    assert.deepEqual((await gatehouse.call('GET', path)).body.rules, before)
  })
}

test('the rules to begin with can be sent back as they are', async () => {
  const { rules } = (await gatehouse.call('GET', `${path}/recommended`)).body
  const sent = rules.map(({ id: _id, sentence: _, ...each }: Sent) => each)
  const answer = await put(sent)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  assert.deepEqual(
    answer.body.rules.map((each: { sentence: string }) => each.sentence),
    rules.map((each: { sentence: string }) => each.sentence),
  )
  await put([])
})

test('another deployment has a list of its own, and members may read but not change it', async () => {
  await put([rule()])
  const other = await gatehouse.addDeployment()
  const elsewhere = await gatehouse.call('GET', `/api/firewall/v1/deployments/${other.id}/rules`, { as: other.as })
  assert.deepEqual(elsewhere.body.rules, [])
  const member = await gatehouse.addPerson('member')
  assert.equal((await gatehouse.call('GET', path, { as: member.token })).status, 200)
  assert.equal((await put([], { as: member.token })).status, 403)
})
