import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openGatehouse } from '../../../test/gatehouse.ts'
import { recount } from '../findings/public.ts'
import { packageLock, upload } from '../scans/test-upload.ts'
import { advisoryFolder, semver } from './feeds/test-advisories.ts'
import { findingsOf, settled } from './test-vulnerabilities.ts'

const gatehouse = await openGatehouse()
const { feeds } = gatehouse.vulnerabilities
after(() => gatehouse.close())

test('a scan raises what advisories name, a fix or an upgrade settles it, and the counters follow', async () => {
  const feed = advisoryFolder()
  feed.put({
    id: 'GHSA-aaaa-bbbb-cccc',
    aliases: ['CVE-2026-0001'],
    summary: 'Prototype pollution in left',
    affected: [{ name: 'left', ranges: [semver('0', '1.2.0')] }],
    severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
    database_specific: { severity: 'MODERATE', cwe_ids: ['CWE-1321'] },
  })
  assert.partialDeepStrictEqual(await feeds.sync(feed.place), { outcome: 'activated', records: 1, added: 1 })
  const sent = await upload(
    gatehouse,
    { repository: 'v/first' },
    { 'web/package-lock.json': packageLock({ left: '1.1.0', right: '1.0.0' }) },
  )
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  const [finding, ...others] = await findingsOf(gatehouse, 'v/first')
  assert.deepEqual(others, [])
  assert.partialDeepStrictEqual(finding, {
    source: 'osv',
    ruleId: 'CVE-2026-0001',
    title: 'Prototype pollution in left',
    product: 'PRODUCT_TYPE_SCA',
    severity: 'SEVERITY_CRITICAL',
    reachability: 'REACHABILITY_UNKNOWN',
    triageState: 'TRIAGE_STATE_OPEN',
    path: 'web/package-lock.json',
    cwes: ['CWE-1321'],
    vulnerabilityIds: ['CVE-2026-0001', 'GHSA-aaaa-bbbb-cccc'],
    dependency: { name: 'left', version: '1.1.0', ecosystem: 'npm' },
    message:
      'left 1.1.0 is affected by CVE-2026-0001, GHSA-aaaa-bbbb-cccc: Prototype pollution in left. Upgrade to 1.2.0. It is a direct dependency.',
  })
  assert.ok(finding.startLine > 0)

  await upload(
    gatehouse,
    { repository: 'v/first' },
    { 'web/package-lock.json': packageLock({ left: '1.1.9', right: '1.0.0' }) },
  )
  const [same] = await findingsOf(gatehouse, 'v/first')
  assert.deepEqual([same.id, same.triageState, same.dependency.version], [finding.id, 'TRIAGE_STATE_OPEN', '1.1.9'])
  await upload(
    gatehouse,
    { repository: 'v/first' },
    { 'web/package-lock.json': packageLock({ left: '1.2.0', right: '1.0.0' }) },
  )
  const [fixed] = await findingsOf(gatehouse, 'v/first')
  assert.deepEqual([fixed.id, fixed.triageState], [finding.id, 'TRIAGE_STATE_FIXED'])

  feed.put({ id: 'GHSA-dddd', affected: [{ name: 'right', ranges: [semver('0.5.0', '2.0.0')] }] })
  assert.partialDeepStrictEqual(await feeds.sync(feed.place), {
    outcome: 'activated',
    records: 2,
    added: 1,
    changed: 0,
  })
  await settled(gatehouse)
  const raised = (await findingsOf(gatehouse, 'v/first')).find((one) => one.ruleId === 'GHSA-dddd')
  assert.deepEqual([raised.triageState, raised.severity], ['TRIAGE_STATE_OPEN', 'SEVERITY_MEDIUM'])
  feed.put({ id: 'GHSA-dddd', withdrawn: '2026-03-04T00:00:00Z', affected: [{ name: 'right', ranges: [semver('0')] }] })
  await feeds.sync(feed.place)
  await settled(gatehouse)
  const gone = (await findingsOf(gatehouse, 'v/first')).find((one) => one.ruleId === 'GHSA-dddd')
  assert.equal(gone.triageState, 'TRIAGE_STATE_FIXED')
  const history = await gatehouse.call(
    'GET',
    `/api/findings/${gatehouse.owner.deploymentId}/findings/${gone.id}/history`,
  )
  assert.equal(history.body.history[0].note, 'GHSA-dddd was withdrawn on 2026-03-04.')
  assert.deepEqual(await recount(gatehouse.db.as(gatehouse.owner)), [])
  await feeds.remove(feed.place)
  feed.remove()
})

test('a receipt says whether any advisories are loaded', async () => {
  const feed = advisoryFolder()
  const loaded = async (version: string) => {
    const files = { 'package-lock.json': packageLock({ other: version }) }
    const { scan, advisoriesLoaded } = (await upload(gatehouse, { repository: 'v/told' }, files)).body
    const again = await upload(gatehouse, { repository: 'v/told' }, files)
    const path = `/api/scans/v1/deployments/${gatehouse.owner.deploymentId}/scans/${scan.id}/receipt`
    const later = await gatehouse.call('GET', path)
    return [advisoriesLoaded, again.body.repeated, again.body.advisoriesLoaded, later.body.advisoriesLoaded]
  }
  assert.deepEqual(await loaded('1.0.0'), [false, true, false, false])
  feed.put({ id: 'GHSA-eeee', affected: [{ name: 'nowhere', ranges: [semver('0')] }] })
  await feeds.sync(feed.place)
  assert.deepEqual(await loaded('1.0.1'), [true, true, true, true])
  await feeds.remove(feed.place)
  assert.deepEqual(await loaded('1.0.2'), [false, true, false, false])
  feed.remove()
})
