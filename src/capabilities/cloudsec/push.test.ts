import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { putOffSeconds } from '../../../test/put-off.ts'
import { until } from '../../jobs/test-queue.ts'
import { type CloudsecServiceSandbox, startCloudsecService } from '../../sandbox/cloudsec-service.ts'
import { type LogResult, sarifLog } from '../findings/test-log.ts'
import { upload } from '../scans/test-upload.ts'

let gatehouse: TestGatehouse
let service: CloudsecServiceSandbox
let path: string
let credentialId: string
let commits = 0
const lines: string[] = []
before(async () => {
  service = await startCloudsecService()
  gatehouse = await openGatehouse({
    env: { GATEHOUSE_EGRESS_ALLOW: '127.0.0.1' },
    log: (line) => lines.push(line),
    worker: { pollSeconds: 0.05, maxAttempts: 20, backoff: { firstSeconds: 0.02, factor: 1, mostSeconds: 7_200 } },
  })
  path = `/api/notifications/deployments/${gatehouse.owner.deploymentId}/cloudsec`
  const { apiUrl, tokenUrl } = service
  const body = { clientId: 'gatehouse', clientSecret: service.addServiceAccount('gatehouse'), apiUrl, tokenUrl }
  credentialId = (await gatehouse.call('POST', path, { body })).body.cloudsecCredential.id
})
beforeEach(() => {
  service.control.trouble = undefined
})
after(async () => {
  await gatehouse.close()
  await service.close()
})

const db = () => gatehouse.db.as(gatehouse.owner)

async function settled(): Promise<void> {
  await until(async () => {
    const [row] = await db().query<{ left: number }>(sql`select count(*) as left from outbox where dead_at is null`)
    return row!.left === 0
  })
}

async function scan(repository: string, results: LogResult[], more: object = {}): Promise<void> {
  await scanned(repository, results, more)
  await settled()
}

async function scanned(repository: string, results: LogResult[], more: object = {}): Promise<void> {
  const commit = String(++commits).padStart(7, '0')
  const answer = await upload(gatehouse, { repository, commit, ...more }, { 'log.sarif': sarifLog({ results }) })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
}

const of = (code: string, score: string, more: object = {}): LogResult => ({
  code,
  properties: { 'security-severity': score, ...more },
})
const [critical, high, medium] = [of('critical()', '9.5'), of('high()', '7.5'), of('medium()', '5')]
const known = () =>
  service
    .findings()
    .map(({ severity }) => severity)
    .sort()
const deadLetters = () =>
  db().query<{ error: string }>(sql`select error from outbox where dead_at is not null order by id`)

test('after a full scan of a default branch, what is critical or high is there, in one upload', async () => {
  await scan('push/one', [critical, high, medium])
  assert.deepEqual(known(), ['CRITICAL', 'HIGH'])
  assert.equal(service.uploads.length, 1)
  const { dataSources } = service.uploads[0]!.document
  assert.equal(dataSources[0]!.assets[0]!.details.repositoryBranch.assetName, 'push/one')
  assert.match(dataSources[0]!.assets[0]!.findings[0]!.id, /^gatehouse-finding-\d+$/)
})

test('a later scan takes the place of the former one; another repository stands beside it', async () => {
  await scan('push/one', [high, medium])
  assert.deepEqual(known(), ['HIGH'])
  await scan('push/two', [critical])
  assert.deepEqual(known(), ['CRITICAL', 'HIGH'])
})

test('other branches and pull requests are not pushed', async () => {
  const { length } = service.uploads
  await scan('push/one', [critical], { ref: 'feature' })
  await scan('push/one', [critical], { kind: 'SCAN_KIND_PULL_REQUEST', ref: 'fix', baseRef: 'main', pullRequest: 7 })
  assert.equal(service.uploads.length, length)
})

test('what a scanner says about a secret does not leave the house', async () => {
  const properties = { tags: ['secret-detection'], 'security-severity': '9.9' }
  await scan('push/secrets', [{ rule: 'aws-key', code: 'AKIACANARY', properties }])
  const found = service.findings().filter(({ type }) => type === 'SECRET')
  assert.deepEqual(
    found.map(({ description }) => description),
    [''],
  )
  assert.ok(!JSON.stringify(service.uploads).includes('AKIACANARY'))
})

test('an upload that fails on the way is tried again, and changes nothing the second time', async () => {
  const steps = ['oauth', 'graphql', 'storage']
  for (const step of steps) {
    let failures = 0
    service.control.trouble = ({ path: [first] }) =>
      first === step && failures++ < 1 ? { status: 503, body: '' } : undefined
    await scan(`push/again-${step}`, [critical])
    assert.equal(failures, 2, step)
  }
  const sources = [...service.sources.values()].filter(([asset]) =>
    asset?.details.repositoryBranch.assetName.startsWith('push/again'),
  )
  assert.deepEqual(
    sources.map(([asset]) => asset!.findings.length),
    [1, 1, 1],
  )
})

test('a service that says for how long it wants to be left alone is left alone for so long', async () => {
  for (const step of ['oauth', 'graphql', 'storage']) {
    let failures = 0
    service.control.trouble = ({ path: [first] }) =>
      first === step && failures++ < 1 ? { status: 429, headers: { 'retry-after': '3600' }, body: {} } : undefined
    const seconds = await putOffSeconds(gatehouse.connection, 'cloudsec.push', () =>
      scanned(`push/busy-${step}`, [critical]),
    )
    assert.ok(seconds > 3_000, `${step}: ${seconds}`)
    assert.equal(failures, 2, step)
  }
})

test('the place for the file gets no token, and no secret leaves but to where it belongs', async () => {
  const { length } = service.seen
  await scan('push/three', [critical])
  const requests = service.seen.slice(length)
  assert.deepEqual(
    requests.map(({ path: [first], headers }) => [first, headers.authorization !== undefined]),
    [
      ['oauth', false],
      ['graphql', true],
      ['storage', false],
    ],
  )
})

test('an account that is refused, or deleted meanwhile, ends as a dead letter that says why', async () => {
  await gatehouse.call('PATCH', `${path}/${credentialId}`, { body: { clientSecret: 'canary-wrong' } })
  await scan('push/refused', [critical])
  const [refused] = await deadLetters()
  assert.match(refused!.error, /answered 401, access_denied; are clientId and clientSecret right/)
  assert.ok(!JSON.stringify(lines).includes('canary'))
  const clientSecret = service.addServiceAccount('gatehouse')
  await gatehouse.call('PATCH', `${path}/${credentialId}`, { body: { clientSecret } })
  service.control.trouble = ({ path: [first] }) =>
    first === 'graphql' ? { body: { data: null, errors: [{ message: 'no' }] } } : undefined
  await scan('push/forbidden', [critical])
  assert.match((await deadLetters()).at(-1)!.error, /gave no upload address/)
})

test('an automation pushes what it acts on', async () => {
  const automation = {
    name: 'Push medium ones',
    triggerSource: 'TRIGGER_SOURCE_SCAN',
    filters: {
      mode: 'MODE_ALL',
      conditions: [{ mode: 'MODE_ANY', type: 'CONDITION_TYPE_SEVERITY', values: ['SEVERITY_MEDIUM'] }],
    },
    actions: [{ type: 'ACTION_TYPE_CLOUDSEC', config: { cloudsecCredentialId: credentialId } }],
  }
  const at = `/api/notifications/deployments/${gatehouse.owner.deploymentId}/automations`
  const made = await gatehouse.call('POST', at, { body: automation })
  assert.equal(made.status, 200, JSON.stringify(made.body))
  await scan('push/automation', [medium])
  assert.equal(service.findings().filter(({ severity }) => severity === 'MEDIUM').length, 1)
})
