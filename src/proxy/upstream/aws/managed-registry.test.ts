import assert from 'node:assert/strict'
import { test } from 'node:test'
import { managedRegistry } from './managed-registry.ts'

const owner = '111122223333'

const known: [url: string, read: Partial<ReturnType<typeof managedRegistry>>][] = [
  [
    `https://my-team-${owner}.d.codeartifact.us-west-2.amazonaws.com/npm/main/`,
    {
      domain: 'my-team',
      owner,
      region: 'us-west-2',
      stsUrl: 'https://sts.us-west-2.amazonaws.com',
      apiUrl: 'https://codeartifact.us-west-2.amazonaws.com',
    },
  ],
  [
    `https://a1-${owner}.d.codeartifact.cn-north-1.amazonaws.com.cn/maven/main`,
    { domain: 'a1', stsUrl: 'https://sts.cn-north-1.amazonaws.com.cn' },
  ],
  [
    `https://a1-${owner}.d.codeartifact.eu-west-1.on.aws/pypi/main/simple/`,
    { apiUrl: 'https://codeartifact.eu-west-1.api.aws', stsUrl: 'https://sts.eu-west-1.amazonaws.com' },
  ],
]

for (const [url, read] of known) {
  test(`${url} is read`, () => assert.partialDeepStrictEqual(managedRegistry(url, undefined), read))
}

const others = [
  `http://team-${owner}.d.codeartifact.us-west-2.amazonaws.com/npm/main/`,
  `https://team-${owner}.d.codeartifact.us-west-2.amazonaws.com.evil.example/`,
  `https://team-${owner}.d.codeartifact.evil.example/.us-west-2.amazonaws.com/`,
  `https://team-${owner}.d.codeartifact.x/../us-west-2.amazonaws.com/`,
  `https://team-11112222.d.codeartifact.us-west-2.amazonaws.com/`,
  'https://codeartifact.us-west-2.amazonaws.com/',
  'https://registry.example/npm/',
]

for (const url of others) {
  test(`${url} is none of it`, () => assert.equal(managedRegistry(url, undefined), undefined))
}

test("the operator's own endpoint takes the place of both services", () => {
  const url = `https://team-${owner}.d.codeartifact.us-west-2.amazonaws.com/npm/main/`
  const read = managedRegistry(url, 'https://vpce.example')
  assert.deepEqual([read?.stsUrl, read?.apiUrl], ['https://vpce.example', 'https://vpce.example'])
})
