import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sarifLog } from '../src/capabilities/findings/test-log.ts'
import { packageLock, upload } from '../src/capabilities/scans/test-upload.ts'
import { contracts } from '../src/compose/contracts.ts'
import type { Tester } from './gatehouse.ts'
import { sampleOf } from './sample-requests.ts'
import { openChatGatehouse } from './servers/chat-gatehouse.ts'

/** Names that occur in the hidden repository and nowhere else. */
const marks = ['zqhidden', 'zqpackage', 'zqrule', 'zqtag']

let own: Awaited<ReturnType<typeof openChatGatehouse>>
let member: Tester
let hiddenId: number
before(async () => {
  own = await openChatGatehouse({ settings: { GATEHOUSE_NEW_PEOPLE_SEE: 'teams' } })
  const { gatehouse } = own
  const { deploymentId } = gatehouse.owner
  member = await gatehouse.addPerson('member')
  const files = {
    'package-lock.json': packageLock({ zqpackage: '1.0.0' }),
    'log.sarif': sarifLog({
      results: [{ rule: 'zqrule', path: 'src/zqhidden.js', code: 'zqhidden()', level: 'error' }],
    }),
  }
  const sent = await upload(gatehouse, { repository: 'zqhidden/app' }, files)
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  hiddenId = sent.body.scan.repositoryId
  const path = `/api/repositories/v1/deployments/${deploymentId}/repositories/${hiddenId}`
  await gatehouse.call('PATCH', path, { body: { tags: ['zqtag'] } })
  own.chat.channels.push({ id: 'C1', name: 'ops', is_private: false, is_member: true, is_archived: false })
  await own.install()
  const subscription = { channel: 'C1', events: ['CHAT_EVENT_NEW_FINDINGS'], repositoryIds: [String(hiddenId)] }
  assert.equal((await own.call('POST', '/subscriptions', { body: subscription })).status, 200)
})
after(() => own.close())

/** Reads of a whole deployment: lists, and the questions of reports and searches, which come with a body. */
const reads = contracts.filter(
  ({ path, method, id, download }) =>
    /^[^:]*:deploymentId[^:]*$/.test(path) &&
    !download &&
    (method === 'GET' || /^(list|search|get|find|count)/.test(id)),
)

test('no list and no report tells a member of a repository that they do not see', async () => {
  const { gatehouse } = own
  const { deploymentId } = gatehouse.owner
  let answered = 0
  let known = 0
  for (const { id, method, path, body } of reads) {
    const ask = (as: string) =>
      gatehouse.call(method, path.replace(':deploymentId', String(deploymentId)), {
        as,
        ...(body && { body: sampleOf(body) }),
      })
    const theirs = await ask(member.token)
    if (theirs.status === 200) answered++
    const told = JSON.stringify(theirs.body)
    for (const mark of marks) assert.equal(told.includes(mark), false, `${id} tells of ${mark}`)
    const all = JSON.stringify((await ask(gatehouse.owner.token)).body)
    if (marks.some((mark) => all.includes(mark))) known++
  }
  assert.ok(answered >= 25, `only ${answered} reads were answered`)
  assert.ok(known >= 5, `the owner sees the repository in ${known} answers only`)
})

test('what a channel is told of names only repositories that one sees', async () => {
  const listed = async (as: string) =>
    (await own.call('GET', '/subscriptions', { as })).body.subscriptions[0].repositoryIds
  assert.deepEqual(await listed(own.gatehouse.owner.token), [String(hiddenId)])
  assert.deepEqual(await listed(member.token), [])
})
