import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sign } from './signature.ts'

const keys = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }
const common = { headers: {}, body: '', service: 'service', region: 'us-east-1', at: new Date('2015-08-30T12:36:00Z') }
const at = (path: string) => new URL(path, 'https://example.amazonaws.com')

// From AWS's own test suite for Signature Version 4 and from the example in its documentation.
const published: [what: string, request: Parameters<typeof sign>[0], signature: string][] = [
  [
    'get-vanilla',
    { ...common, method: 'GET', url: at('/') },
    '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  ],
  [
    'get-vanilla-query-order-key-case',
    { ...common, method: 'GET', url: at('/?Param2=value2&Param1=value1') },
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  ],
  [
    'post-vanilla',
    { ...common, method: 'POST', url: at('/') },
    '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  ],
  [
    'ListUsers',
    {
      ...common,
      method: 'GET',
      url: new URL('https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08'),
      headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
      service: 'iam',
    },
    '5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
  ],
]

for (const [what, request, signature] of published) {
  test(`the published signature of ${what}`, () => {
    assert.equal(sign(request, keys).authorization.split('Signature=')[1], signature)
  })
}

test('the token of a session is sent, and signed', () => {
  const request = { ...common, method: 'GET', url: at('/') }
  const { headers, authorization } = sign(request, { ...keys, sessionToken: 'session' })
  assert.equal(headers['x-amz-security-token'], 'session')
  assert.match(authorization, /SignedHeaders=host;x-amz-date;x-amz-security-token,/)
})
