import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openGatehouse } from '../../../test/gatehouse.ts'
import { watchExposure } from '../firewall/exposure/test-exposure.ts'
import { packageLock, upload } from './test-upload.ts'

const clock = { at: new Date('2026-11-15T12:00:00Z'), now: () => clock.at }
const gatehouse = await openGatehouse({ clock, env: { GATEHOUSE_URL: 'https://g.example' } })
after(() => gatehouse.close())

const entry = (name: string, address: string) =>
  `${name}@^1.0.0:\n  version "1.0.0"\n  resolved "${address}/${name}/-/${name}-1.0.0.tgz#12"\n`
const yarnLock = (...addresses: string[]) =>
  `# yarn lockfile v1\n\n${addresses.map((address, at) => entry(`p${at}`, address)).join('\n')}`
const yarn = 'https://registry.yarnpkg.com'

test('the receipt says which lockfiles point past the firewall, once clients use it', async () => {
  const files = {
    'web/yarn.lock': yarnLock(yarn, yarn),
    'package-lock.json': packageLock({ left: '1.0.0' }),
    'requirements.txt': '--extra-index-url https://u:secret@pypi.example/simple\nsix==1.16.0\n',
  }
  const before = await upload(gatehouse, { repository: 'past/one', commit: 'a'.repeat(40) }, files)
  assert.deepEqual(before.body.pastFirewall, [], 'nobody uses the firewall')
  await watchExposure(gatehouse).fetch({ personId: 1, tokenId: 0 }, 'left@1.0.0')
  clock.at = new Date(clock.at.getTime() + 6 * 60_000)
  const { body } = await upload(gatehouse, { repository: 'past/one', commit: 'b'.repeat(40) }, files)
  const expected = [
    { path: 'requirements.txt', line: 1, host: 'pypi.example', count: 1, example: 'https://pypi.example/simple' },
    { path: 'web/yarn.lock', line: 5, host: 'registry.yarnpkg.com', count: 2, example: `${yarn}/p0/-/p0-1.0.0.tgz` },
  ]
  assert.deepEqual(body.pastFirewall, expected, 'also of files that are as they were')
  const kept = await gatehouse.call('GET', `/api/scans/v1/deployments/1/scans/${body.scan.id}/receipt`)
  assert.deepEqual(kept.body.pastFirewall, expected)
})

test('a large lockfile is looked at in a thread, and what comes through the firewall is none of these', async () => {
  const many = Array.from({ length: 400 }, () => yarn)
  const files = { 'yarn.lock': yarnLock(...many, 'https://g.example/firewall/1/npm') }
  const { body } = await upload(gatehouse, { repository: 'past/two' }, files)
  assert.partialDeepStrictEqual(body.pastFirewall, [{ path: 'yarn.lock', count: 400 }])
  assert.equal(body.pastFirewall.length, 1)
})
