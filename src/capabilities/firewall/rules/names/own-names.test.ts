import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openGatehouse } from '../../../../../test/gatehouse.ts'
import { packageLock, upload } from '../../../scans/test-upload.ts'
import { createOwnNames } from './own-names.ts'

const clock = { at: new Date('2026-11-15T12:00:00Z'), now: () => clock.at }
const gatehouse = await openGatehouse({ clock })
after(() => gatehouse.close())

test('a name that is nearly one which repositories have, or which is private, is told; those themselves are not', async () => {
  const files = { 'package-lock.json': packageLock({ 'acme-widgets': '1.0.0', 'acme-widget': '1.0.0' }) }
  assert.equal((await upload(gatehouse, { repository: 'own/names' }, files)).status, 200)
  const claim = { ecosystem: 'npm', pattern: 'billing-core', reason: 'ours' }
  const path = '/api/firewall/v1/deployments/1/package-claims'
  assert.equal((await gatehouse.call('POST', path, { body: claim })).status, 200)
  const names = createOwnNames({ db: gatehouse.db, clock })
  const near = (name: string, deployment = 1) => names.near(deployment, 'npm', name)
  assert.deepEqual(await near('acme-wigdets'), { name: 'acme-widgets', isPrivate: false })
  assert.deepEqual(await near('biling-core'), { name: 'billing-core', isPrivate: true })
  for (const name of ['acme-widget', 'billing-core', 'something-else']) assert.equal(await near(name), undefined, name)
  const other = await gatehouse.addDeployment()
  assert.equal(await near('acme-wigdets', other.id), undefined, 'another deployment uses other names')
  assert.equal(await names.near(1, 'pypi', 'acme-wigdets'), undefined)
})
