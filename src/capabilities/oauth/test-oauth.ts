import { createHash, randomBytes } from 'node:crypto'
import type { Answer, TestGatehouse } from '../../../test/gatehouse.ts'

export const redirectUri = 'http://127.0.0.1:3118/callback'
const wanted = 'findings:read dependencies:read firewall:read'

/** A program that connects as RFC 6749 and RFC 7636 say, step by step, so that each step can go wrong. */
export function oauthClient(gatehouse: TestGatehouse) {
  const resource = `${gatehouse.url}/mcp`
  let network = 0

  const form = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Answer> =>
    gatehouse.call('POST', `/api/auth/oauth/${path}`, {
      as: '',
      body: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    })

  /** Each from a network of its own, so that no test uses up what another may ask for. */
  const somewhere = () => ({ 'x-forwarded-for': `192.0.2.${++network}` })

  const register = (
    redirectUris: unknown = [redirectUri],
    headers: Record<string, string> = somewhere(),
  ): Promise<Answer> =>
    gatehouse.call('POST', '/api/auth/oauth/register', {
      as: '',
      headers,
      body: { client_name: 'Agent', redirect_uris: redirectUris, token_endpoint_auth_method: 'none' },
    })

  /** What stands in the address that the program opens, and what only the program knows. */
  async function begin(more: object = {}) {
    const verifier = randomBytes(32).toString('base64url')
    const request = {
      clientId: (await register()).body.client_id as string,
      redirectUri,
      responseType: 'code',
      codeChallenge: createHash('sha256').update(verifier).digest('base64url'),
      codeChallengeMethod: 'S256',
      scope: wanted,
      resource,
      state: 'the state',
      ...more,
    }
    return { request, verifier }
  }

  const show = (as: string, request: object) =>
    gatehouse.call('POST', '/api/auth/oauth-requests', { as, body: { request } })

  const approve = (
    as: string,
    request: object,
    more: object = {},
    deploymentId = 1,
    headers: Record<string, string> = {},
  ) =>
    gatehouse.call('POST', `/api/tokens/v1/deployments/${deploymentId}/connected-programs`, {
      as,
      headers,
      body: { request, scopes: ['findings:read'], expiresInDays: 30, ...more },
    })

  /** A code that a person approved, and how the program would turn it into a token. */
  async function approved(as: string, more: object = {}, deploymentId = 1) {
    const { request, verifier } = await begin()
    const answer = await approve(as, request, more, deploymentId)
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
    const redirect = new URL(answer.body.redirectTo)
    return { redirect, fields: fieldsFor(redirect, request.clientId, verifier), clientId: request.clientId }
  }

  /** What the program sends for the code that came back to it. */
  function fieldsFor(redirect: URL, clientId: string, verifier: string) {
    return {
      grant_type: 'authorization_code',
      client_id: clientId,
      code: redirect.searchParams.get('code')!,
      redirect_uri: redirectUri,
      code_verifier: verifier,
      resource,
    }
  }

  async function connected(as: string, more: object = {}, deploymentId = 1) {
    const { fields, clientId } = await approved(as, more, deploymentId)
    const { body } = await form('token', fields)
    return { fields, clientId, token: body.access_token as string, refreshToken: body.refresh_token as string }
  }

  const refresh = (refreshToken: string, clientId: string, headers: Record<string, string> = {}) =>
    form('token', { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId }, headers)

  const mcp = (as: string) =>
    gatehouse.call('POST', '/mcp', { as, body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } })

  return { resource, form, register, begin, show, approve, approved, fieldsFor, connected, refresh, mcp }
}
