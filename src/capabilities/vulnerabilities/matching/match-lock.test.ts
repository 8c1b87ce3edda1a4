import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import sql from 'sql-template-tag'
import { openGatehouse } from '../../../../test/gatehouse.ts'
import { systemActor } from '../../../kernel/access/actor.ts'
import { packageLock, upload } from '../../scans/test-upload.ts'
import { advisoryFolder, semver } from '../feeds/test-advisories.ts'
import { findingsOf, settled } from '../test-vulnerabilities.ts'

const gatehouse = await openGatehouse()
after(() => gatehouse.close())

test('a scan that matched with the former advisories and is committed after the change is not passed over', async () => {
  const { feeds, matching } = gatehouse.vulnerabilities
  const { deploymentId } = gatehouse.owner
  const feed = advisoryFolder()
  feed.put({ id: 'GHSA-1', affected: [{ name: 'other', ranges: [semver('0')] }] })
  await feeds.sync(feed.place)
  const lock = (version: string) => ({ 'package-lock.json': packageLock({ a: version }) })
  await upload(gatehouse, { repository: 't/known' }, lock('2.0.0'))
  const sent = await upload(gatehouse, { repository: 't/late' }, lock('1.0.0'))
  const { repositoryId, id: scanId } = sent.body.scan
  feed.put({ id: 'GHSA-2', affected: [{ name: 'a', versions: ['2.0.0'] }] })

  let synced: Promise<unknown> | undefined
  await gatehouse.db.transaction(systemActor(deploymentId, 'late'), async (tx) => {
    await tx.query(sql`update dependency set package_version_id = (
        select id from package_version where deployment_id = ${deploymentId} and version = '2.0.0')
      where deployment_id = ${deploymentId} and repository_id = ${repositoryId}`)
    await matching.inventory(tx, { repositoryId, ref: 'main', pullRequest: 0, scanId })
    synced ??= feeds.sync(feed.place)
    while (!(await waitsOrIsThrough())) await delay(10)
  })
  await synced
  await settled(gatehouse)
  const found = await findingsOf(gatehouse, 't/late')
  assert.deepEqual(
    found.map((one) => `${one.ruleId} ${one.dependency.version} ${one.triageState}`),
    ['GHSA-2 2.0.0 TRIAGE_STATE_OPEN'],
  )
  feed.remove()

  /** Whoever spreads the change is either held up, or has not been and is done. */
  async function waitsOrIsThrough(): Promise<boolean> {
    const [row] = await gatehouse.db.workerQuery<{ waits: boolean; through: boolean }>(sql`select
      exists (select 1 from pg_locks where locktype = 'advisory' and not granted) as waits,
      exists (select 1 from vulnerability_deployment d join vulnerability_state s on d.revision = s.revision
        where s.revision = 2) as through`)
    return row!.waits || row!.through
  }
})
