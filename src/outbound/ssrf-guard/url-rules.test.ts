import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkedUrl, hostOf, portOf } from './url-rules.ts'

const refused = [
  '',
  'registry.test',
  '/path',
  '//registry.test/',
  'ftp://registry.test/',
  'file:///etc/passwd',
  'data:text/plain,hi',
  'gopher://registry.test/',
  'javascript:alert(1)',
  'unix:/run/docker.sock',
  'http://',
  'http://a b/',
  'http://registry.test:99999/',
  'http://registry.test:0/',
  'http://1.2.3.4.5/',
  'http://256.1.1.1/',
  'http://[::1%25eth0]/',
  'https://user@registry.test/',
  'https://user:s3cret@registry.test/',
  'https://:s3cret@registry.test/',
]

for (const url of refused) {
  test(`${JSON.stringify(url)} is refused without being quoted`, () => {
    assert.throws(
      () => checkedUrl(url),
      (error: Error & { reason: string }) => {
        assert.equal(error.reason, 'bad_url')
        assert.ok(!error.message.includes('registry') && !error.message.includes('s3cret'))
        return true
      },
    )
  })
}

const hosts: [url: string, host: string, port: number][] = [
  ['http://registry.test', 'registry.test', 80],
  ['HTTPS://Registry.Test:8443/x#y', 'registry.test', 8443],
  ['https://registry.test:443/', 'registry.test', 443],
  ['http://2130706433/', '127.0.0.1', 80],
  ['http://0177.0.0.1/', '127.0.0.1', 80],
  ['http://0x7f.1/', '127.0.0.1', 80],
  ['http://127.1/', '127.0.0.1', 80],
  ['http://127.0.0.1./', '127.0.0.1', 80],
  ['http://１２７.0.0.1/', '127.0.0.1', 80],
  ['http://0/', '0.0.0.0', 80],
  ['http://[::ffff:127.0.0.1]:81/', '::ffff:7f00:1', 81],
  ['http://%31%32%37.0.0.1/', '127.0.0.1', 80],
]

for (const [url, host, port] of hosts) {
  test(`${url} leads to ${host}`, () => {
    const checked = checkedUrl(url)
    assert.equal(hostOf(checked), host)
    assert.equal(portOf(checked), port)
    assert.equal(checked.hash, '')
  })
}
