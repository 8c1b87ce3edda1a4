import assert from 'node:assert/strict'
import type { TestGatehouse } from '../../../test/gatehouse.ts'
import { testClient } from '../../../test/outside/openid-provider.ts'

const publicUrl = 'https://gatehouse.example.com'
export const providerEnv = { GATEHOUSE_EGRESS_ALLOW: '127.0.0.1', GATEHOUSE_URL: publicUrl }

type SetUp = Record<string, unknown>

/** What an owner enters for a provider. */
export function setUp(issuer: string, more: SetUp = {}) {
  return {
    name: 'Company',
    issuer,
    clientId: testClient.clientId,
    clientSecret: testClient.clientSecret,
    scopes: ['email', 'profile', 'groups'],
    domains: ['corp.example'],
    emailsAreVerified: false,
    groupsClaim: 'groups',
    mapping: [],
    defaultRole: 'member',
    listed: true,
    instanceWide: false,
    enforced: false,
    breakGlassId: null,
    ...more,
  }
}

export function providersPath(deploymentId: number): string {
  return `/api/sign-in/v1/deployments/${deploymentId}/providers`
}

/** Makes a provider as the first owner, who owns every deployment. */
export async function addProvider(gatehouse: TestGatehouse, body: SetUp, deploymentId = gatehouse.owner.deploymentId) {
  const as = await gatehouse.signIn(gatehouse.owner.email, gatehouse.owner.password)
  const answer = await gatehouse.call('POST', providersPath(deploymentId), { as, body })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.provider
}

/** A browser at Gatehouse: keeps its cookies, and sends requests as pages of Gatehouse do. */
export function browserAt(gatehouse: TestGatehouse) {
  const jar = new Map<string, string>()

  async function call(method: string, path: string, body?: unknown) {
    const headers = {
      cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
      'sec-fetch-site': 'same-origin',
    }
    const answer = await gatehouse.call(method, path, { as: '', headers, ...(body === undefined ? {} : { body }) })
    for (const cookie of answer.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';')
      const at = pair.indexOf('=')
      if (/Max-Age=0/.test(cookie)) jar.delete(pair.slice(0, at))
      else jar.set(pair.slice(0, at), pair.slice(at + 1))
    }
    return answer
  }

  async function start(providerId: number, body: object = {}): Promise<string> {
    const answer = await call('POST', `/api/auth/providers/${providerId}/start`, body)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.url
  }

  function finish(providerId: number, parameters: string) {
    return call('POST', `/api/auth/providers/${providerId}/finish`, { parameters })
  }

  const me = () => call('GET', '/api/auth/session')
  return { jar, call, start, finish, me }
}
