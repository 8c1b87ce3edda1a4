import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type Tester, type TestGatehouse, tokenOf } from '../../../test/gatehouse.ts'
import { findingsPath, searchAll, sendLog } from '../findings/test-findings.ts'
import { openDirectory } from '../provisioning/test-directory.ts'

let gatehouse: TestGatehouse
let other: { id: number; as: string }
before(async () => {
  gatehouse = await openGatehouse()
  other = await gatehouse.addDeployment()
})
after(() => gatehouse.close())

const peoplePath = (deployment = gatehouse.owner.deploymentId) => `/api/people/v1/deployments/${deployment}`
const auditPath = () => `/api/audit/v1/deployments/${gatehouse.owner.deploymentId}`

async function ok(method: string, path: string, request = {}) {
  const answer = await gatehouse.call(method, path, request)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}

const formerOf = async ({ id, as }: { id?: number; as?: string } = {}) =>
  (await ok('GET', `${peoplePath(id)}/former-people`, as ? { as } : {})).people

const leave = (id: number) => ok('DELETE', `${peoplePath()}/people/${id}`)

async function rename(person: { id: number }, name: string): Promise<void> {
  await gatehouse.db.identity(async (tx) => {
    await tx.query(sql`update person set name = ${name} where id = ${person.id}`)
  })
}

/** As somebody with an account accepts an invitation. */
async function comeBack(person: Tester, deployment: { id: number; as: string }): Promise<void> {
  const { link } = await ok('POST', `${peoplePath(deployment.id)}/people`, {
    as: deployment.as,
    body: { email: person.email, role: 'member' },
  })
  await ok('POST', '/api/people/v1/self/invitations/accept', {
    as: await gatehouse.signIn(person.email, person.password),
    body: { token: tokenOf(link) },
  })
}

/** What one person did, as it is shown. */
async function shownNames(person: Tester, finding: string, automation: number, override: number) {
  const { events } = await ok('GET', `${auditPath()}/events?personId=${person.id}&pageSize=1000`)
  const { history } = await ok('GET', `${findingsPath()}/${finding}/history`)
  const { data } = await ok('GET', `${findingsPath()}/${finding}`)
  const automations = `/api/notifications/deployments/${gatehouse.owner.deploymentId}/automations`
  const { overrides } = await ok('GET', `/api/firewall/v1/deployments/${gatehouse.owner.deploymentId}/overrides`)
  return {
    audit: [...new Set(events.map((event: { personName: string }) => event.personName))],
    history: history[0].deciderName,
    finding: data.deciderName,
    automation: (await ok('GET', `${automations}/${automation}`)).automation.createdBy,
    override: overrides.find(({ id }: { id: number }) => id === override).createdByName,
  }
}

test('what somebody did keeps the name that they had when they left', async () => {
  const ada = await gatehouse.addPerson('admin')
  await rename(ada, 'Ada')
  await sendLog(gatehouse, 'left/a', [{ code: 'a' }])
  const [finding] = await searchAll(gatehouse, { filter: { repositories: ['left/a'] } })
  const ignored = { triageState: 'TRIAGE_STATE_IGNORED', findingIds: [finding!.id] }
  await ok('POST', `${findingsPath()}/triage`, { as: ada.token, body: ignored })
  const { automation } = await ok(
    'POST',
    `/api/notifications/deployments/${gatehouse.owner.deploymentId}/automations`,
    {
      as: ada.token,
      body: {
        name: 'Stop',
        triggerSource: 'TRIGGER_SOURCE_SCAN',
        filters: { mode: 'MODE_ALL', conditions: [] },
        actions: [{ type: 'ACTION_TYPE_BLOCK' }],
      },
    },
  )
  const { override } = await ok('POST', `/api/firewall/v1/deployments/${gatehouse.owner.deploymentId}/overrides`, {
    as: ada.token,
    body: { ecosystem: 'npm', name: 'left-pad', version: '1.3.0', effect: 'deny', reason: 'No' },
  })
  const shown = () => shownNames(ada, finding!.id, automation.id, override.id)
  const named = { audit: ['Ada'], history: 'Ada', finding: 'Ada', automation: ada.email, override: 'Ada' }
  assert.deepEqual(await shown(), named)
  await leave(ada.id)
  await rename(ada, 'Ada, elsewhere')
  assert.deepEqual(await shown(), named)
  const exported = await gatehouse.call('POST', `${auditPath()}/export`, { body: { filter: { personId: ada.id } } })
  assert.match(JSON.stringify(exported.body), /personName.{1,5}Ada\b/)
  const [former] = (await formerOf()).filter(({ id }: { id: number }) => id === ada.id)
  assert.deepEqual({ ...former, leftAt: '' }, { id: ada.id, email: ada.email, name: 'Ada', leftAt: '', isBack: false })

  await comeBack(ada, { id: gatehouse.owner.deploymentId, as: gatehouse.owner.token })
  assert.ok(!(await formerOf()).some(({ id }: { id: number }) => id === ada.id))
  assert.equal((await shown()).history, 'Ada, elsewhere')
})

test('a deployment knows nobody who never was its own, whoever they left', async () => {
  const person = await gatehouse.addPerson('member')
  await leave(person.id)
  assert.deepEqual(await formerOf(other), [])
  await comeBack(person, other)
  await ok('DELETE', `${peoplePath(other.id)}/people/${person.id}`, { as: other.as })
  const ids = (await formerOf(other)).map(({ id }: { id: number }) => id)
  assert.deepEqual(ids, [person.id])
})

test('whom a directory removes is named, though their account is gone', async () => {
  const directory = await openDirectory(gatehouse)
  const id = await directory.provision('grace@example.com', { displayName: 'Grace' })
  await directory.send('DELETE', `/Users/${id}`)
  const grace = (await formerOf()).find(({ email }: { email: string }) => email === 'grace@example.com')
  assert.deepEqual([grace.name, grace.isBack], ['Grace', false])
  // The directory makes another account of the same address.
  assert.notEqual(await directory.provision('Grace@example.com', { displayName: 'Grace' }), id)
  const [former] = (await formerOf()).filter(({ id: each }: { id: number }) => each === grace.id)
  assert.deepEqual(former, { ...grace, isBack: true })
})

test('a service account that was deleted is named in the audit log', async () => {
  const path = `/api/service-accounts/v1/deployments/${gatehouse.owner.deploymentId}/service-accounts`
  const { serviceAccount } = await ok('POST', path, { body: { name: 'ci', role: 'admin' } })
  const { secret } = await ok('POST', `${path}/${serviceAccount.id}/tokens`, {
    as: gatehouse.owner.jwt,
    body: { name: 'ci', webApi: true },
  })
  const repositories = `/api/repositories/v1/deployments/${gatehouse.owner.deploymentId}/repositories`
  await ok('POST', repositories, { as: secret, body: { name: 'left/by-ci' } })
  await ok('DELETE', `${path}/${serviceAccount.id}`)
  const { events } = await ok('GET', `${auditPath()}/events?personId=${serviceAccount.id}&action=repository.create`)
  assert.equal(events[0].personName, 'ci')
})
