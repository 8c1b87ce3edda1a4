import assert from 'node:assert/strict'
import { test } from 'node:test'
import { originOf, urlProblem } from './registry-url.ts'

const registry = 'REGISTRY_TYPE_PACKAGE_MANAGER_AUTH'
const firewall = 'REGISTRY_TYPE_MALWARE_FIREWALL'

const goodUrls = [
  'https://registry.example.com',
  'http://localhost:8081/repository/npm/',
  'https://npm.pkg.example.com/@scope/',
  'HTTPS://Registry.Example.COM:8443/a%20b',
  'https://[2001:db8::1]:8443/simple',
  'https://bücher.example/simple',
]
const badUrls: [string, RegExp][] = [
  ['', /http or https/],
  ['registry.example.com', /http or https/],
  ['ftp://registry.example.com', /http or https/],
  ['file:///etc/passwd', /http or https/],
  ['//registry.example.com', /http or https/],
  ['https:registry.example.com', /http or https/],
  ['https:///registry.example.com', /http or https/],
  ['https://user:hunter2@registry.example.com', /user name or password/],
  ['https://user@registry.example.com', /user name or password/],
  ['https://@registry.example.com', /user name or password/],
  ['https://registry.example.com/?token=hunter2', /no query/],
  ['https://registry.example.com/?', /no query/],
  ['https://registry.example.com/#hunter2', /no fragment/],
  ['https://good.example\\@evil.example/', /backslashes/],
  ['https://good.example/\n', /control characters/],
  ['https://go od.example/', /spaces/],
  ['https://registry.example.com:0/', /can be reached/],
  ['https://registry.example.com:99999/', /can be reached/],
  ['https://[::1/', /can be reached/],
]
const goodPatterns = ['registry.npmjs.org', '*.example.com', '*.internal', 'localhost', 'A-1.Example.com', '10.0.0.1']
const badPatterns = [
  '*',
  '*.',
  '*.*.example.com',
  'a*.example.com',
  'https://a.example',
  'a.example:8080',
  'a.example/x',
]
const badNames = [
  '-a.example',
  'a-.example',
  'a..example',
  'a.example.',
  `${'a'.repeat(64)}.example`,
  'ä.example',
  ' a',
]

test('addresses of registries', () => {
  for (const url of goodUrls) assert.equal(urlProblem(registry, url), undefined, url)
  for (const [url, problem] of badUrls) {
    const told = urlProblem(registry, url)
    assert.match(told ?? '', problem, url)
    assert.ok(!told?.includes('hunter2'), url)
  }
})

test('host patterns of the malware firewall', () => {
  for (const pattern of goodPatterns) assert.equal(urlProblem(firewall, pattern), undefined, pattern)
  for (const pattern of [...badPatterns, ...badNames, 'a.'.repeat(200)]) {
    assert.match(urlProblem(firewall, pattern) ?? '', /host name/, pattern)
  }
})

test('the origin is scheme, host and port, however they are spelt', () => {
  const same = ['https://r.example.com', 'https://R.EXAMPLE.com:443/other/path', 'HTTPS://r.example.com/']
  const others = [
    'http://r.example.com',
    'https://r.example.com:8443',
    'https://r.example.co',
    'https://evil.example/r.example.com',
    'https://r.example.com.evil.example',
    'http://r.example.com:443',
  ]
  for (const url of same) assert.equal(originOf(url), 'https://r.example.com', url)
  for (const url of others) assert.notEqual(originOf(url), 'https://r.example.com', url)
})
