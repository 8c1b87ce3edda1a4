import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse } from '../../../test/gatehouse.ts'
import { systemClock } from '../../kernel/time/clock.ts'
import { searchAll, sendLog } from '../findings/test-findings.ts'
import { createScanRetention } from './retention.ts'
import { packageLock, packagesOf, upload } from './test-upload.ts'

const hundredDays = 100 * 86_400_000

test('scans that later ones replaced go; what an inventory, findings or a pull request stand on stays', async (t) => {
  const gatehouse = await openGatehouse({ jobs: false })
  t.after(() => gatehouse.close())
  const db = gatehouse.db.as({ deploymentId: gatehouse.owner.deploymentId })
  const idOf = (answer: { body: { scan: { id: number } } }) => Number(answer.body.scan.id)
  const log = async (tool: string, code: string, ref = 'main') =>
    idOf(await sendLog(gatehouse, 'aged/one', [{ code, path: 'src/a.js' }], { tool, ref }))
  const lock = async (version: string, more: object = {}) =>
    idOf(
      await upload(
        gatehouse,
        { repository: 'aged/one', ...more },
        { 'package-lock.json': packageLock({ left: version }) },
      ),
    )

  const replacedLog = await log('Tester', 'first()')
  const standing = [
    await log('Tester', 'second()'),
    await log('Other', 'third()'),
    await log('Tester', 'fourth()', 'next'),
  ]
  const replacedLock = await lock('1.0.0')
  const inventory = await lock('1.1.0')
  const request = { kind: 'SCAN_KIND_PULL_REQUEST', pullRequest: 7, baseRef: 'main', ref: 'change' }
  const replacedRequest = await lock('1.2.0', request)
  const lastOfRequest = await lock('1.3.0', request)
  // A later scan of the branch, which has neither findings of those tools nor an inventory.
  const latest = await log('Third', 'fifth()')
  const all = [replacedLog, ...standing, replacedLock, inventory, replacedRequest, lastOfRequest, latest]
  const kept = async () =>
    (await db.query<{ id: number }>(sql`select id from scan where deployment_id = ${db.deploymentId} order by id`)).map(
      ({ id }) => id,
    )
  assert.deepEqual(
    await kept(),
    all.toSorted((a, b) => a - b),
  )
  const findings = await searchAll(gatehouse)

  const clock = { now: () => new Date(Date.now() + hundredDays) }
  const age = (days: number | undefined, at = clock) => createScanRetention({ db: gatehouse.db, clock: at, days }).run()
  await age(undefined)
  await age(99, systemClock)
  assert.equal((await kept()).length, all.length)

  await age(99)
  const left = [...standing, inventory, lastOfRequest, latest].sort((a, b) => a - b)
  assert.deepEqual(await kept(), left)
  assert.deepEqual(await searchAll(gatehouse), findings)
  assert.deepEqual(await packagesOf(gatehouse, 'aged/one'), ['package-lock.json: left@1.1.0'])
  await age(99)
  assert.deepEqual(await kept(), left)
  // Uploads go on as before: the same one again changes nothing.
  assert.equal(await log('Third', 'fifth()'), latest)
})
