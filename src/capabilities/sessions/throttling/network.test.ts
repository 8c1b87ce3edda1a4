import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkOf } from './network.ts'

const cases: Record<string, string> = {
  '192.0.2.1': '192.0.2.1',
  '::ffff:192.0.2.1': '192.0.2.1',
  '::FFFF:c000:0201': '192.0.2.1',
  '2001:db8:1:2:3:4:5:6': '2001:db8:1:2::/64',
  '2001:0db8:0001:0002:ffff::1': '2001:db8:1:2::/64',
  '2001:db8::1': '2001:db8:0:0::/64',
  'fe80::1%eth0': 'fe80:0:0:0::/64',
  '::1': '0:0:0:0::/64',
  'not an address': 'not an address',
}

for (const [address, network] of Object.entries(cases)) {
  test(`${address} belongs to ${network}`, () => assert.equal(networkOf(address), network))
}
