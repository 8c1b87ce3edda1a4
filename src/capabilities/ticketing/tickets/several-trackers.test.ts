import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTrackerGatehouse } from '../../../../test/servers/tracker-gatehouse.ts'
import { startTrackerService } from '../../../sandbox/tracker/tracker-service.ts'
import { sarifLog } from '../../findings/test-log.ts'
import { upload } from '../../scans/test-upload.ts'

type Tracker = Awaited<ReturnType<typeof startTrackerService>>

let own: Awaited<ReturnType<typeof openTrackerGatehouse>>
let second: Tracker
let [firstId, secondId] = [0, 0]
before(async () => {
  own = await openTrackerGatehouse()
  second = await startTrackerService({ clock: own.clock })
  firstId = await connected(own.tracker)
  secondId = await connected(second)
  await configure(secondId, {})
})
after(async () => {
  await own.close()
  await second.close()
})

async function connected(tracker: Tracker): Promise<number> {
  const body = { url: tracker.url, email: own.account, apiToken: tracker.addAccount(own.account) }
  const answer = await own.instances('POST', '', { body })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.instance.id
}

async function configure(id: number, automationStates: object): Promise<void> {
  const body = { projectId: '10100', issueTypeId: '10200', automationStates }
  const answer = await own.instances('PATCH', `/${id}`, { body })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
}

/** Something in the code, and a secret. */
async function scan(repository: string): Promise<void> {
  const log = sarifLog(
    { tool: 'Tester', results: [{ rule: 'injection' }] },
    { tool: 'gitleaks', results: [{ rule: 'aws-key', path: 'src/b.js' }] },
  )
  const answer = await upload(own.gatehouse, { repository, commit: '0000001' }, { 'log.sarif': log })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  await own.settled()
}

const writtenFor = ({ issues }: Tracker, repository: string) =>
  issues.map(({ fields }) => String(fields.summary)).filter((summary) => summary.endsWith(repository))

test('an automation that names no tracker uses the first that is configured', async () => {
  const automation = {
    name: 'Tickets',
    triggerSource: 'TRIGGER_SOURCE_SCAN',
    filters: { mode: 'MODE_ALL', conditions: [] },
    actions: [{ type: 'ACTION_TYPE_TICKET', config: {} }],
  }
  const made = await own.gatehouse.call('POST', `${own.base}/automations`, { body: automation })
  assert.equal(made.status, 200, JSON.stringify(made.body))
  await scan('by/automation')
  assert.deepEqual(
    [own.tracker, second].map((tracker) => writtenFor(tracker, 'by/automation').length),
    [0, 2],
  )
  await own.gatehouse.call('DELETE', `${own.base}/automations/${made.body.automation.id}`)
})

test('what is new gets its ticket at the first tracker that has the switch for its kind on', async () => {
  await configure(firstId, { sast: true })
  await configure(secondId, { sast: true, secrets: true })
  await scan('by/switch')
  const [code, secrets] = [writtenFor(own.tracker, 'by/switch'), writtenFor(second, 'by/switch')]
  assert.deepEqual([code.length, secrets.length], [1, 1])
  // What a scanner says about a secret is not put into a ticket.
  assert.match(secrets[0]!, /\*\*\*\*/)
})
