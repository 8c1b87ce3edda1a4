import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceUrlProblem } from './service-url.ts'

const usable = [
  'https://api.eu1.app.example.com/graphql',
  'https://auth.app.example.com/oauth/token',
  'https://[2001:db8::1]:8443/x',
  'http://127.0.0.1:8080/oauth/token',
  'http://localhost/token',
]
for (const url of usable) test(`${url} can be used`, () => assert.equal(serviceUrlProblem(url), undefined))

const unusable: [string, RegExp][] = [
  ['', /address like/],
  ['ftp://example.com/', /address like/],
  ['https:example.com', /address like/],
  ['https:///example.com', /address like/],
  ['https://example.com:0/', /address like/],
  ['https://user:hunter2@example.com/', /user name or password/],
  ['https://@example.com/', /user name or password/],
  ['https://example.com\\@evil.example/', /backslashes/],
  ['https://exa\tmple.com/', /control characters/],
  [' https://example.com/', /spaces/],
  ['https://example.com/?key=hunter2', /no query/],
  ['https://example.com/#hunter2', /no query and no fragment/],
  ['http://example.com/', /https/],
  ['http://127.0.0.1.example.com/', /https/],
  ['http://10.0.0.1/', /https/],
]
for (const [url, reason] of unusable) {
  test(`${JSON.stringify(url)} cannot be used, and what it holds is not repeated`, () => {
    const problem = serviceUrlProblem(url)
    assert.match(problem ?? '', reason)
    assert.ok(!problem?.includes('hunter2'))
  })
}
