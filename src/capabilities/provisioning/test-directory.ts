import assert from 'node:assert/strict'
import { type Answer, caller, type TestGatehouse } from '../../../test/gatehouse.ts'

export type Directory = Awaited<ReturnType<typeof openDirectory>>

export const patchOp = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group'

/** A directory with a token of a deployment, as its owner set it up. */
export async function openDirectory(gatehouse: TestGatehouse, deploymentId = gatehouse.owner.deploymentId, more = {}) {
  const jwt = await gatehouse.signIn(gatehouse.owner.email, gatehouse.owner.password)
  const path = `/api/provisioning/v1/deployments/${deploymentId}`
  const set = await gatehouse.call('PATCH', `${path}/settings`, { as: jwt, body: { enabled: true, ...more } })
  assert.equal(set.status, 200, JSON.stringify(set.body))
  const made = await gatehouse.call('POST', `${path}/tokens`, { as: jwt, body: {} })
  assert.equal(made.status, 200, JSON.stringify(made.body))
  const token: string = made.body.secret
  const call = caller(gatehouse.url, token)

  function send(method: string, to: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const sent = body === undefined ? {} : { body, headers: { 'content-type': 'application/scim+json', ...headers } }
    return call(method, `/scim/v2${to}`, { headers, ...sent })
  }

  /** What has to go well, to get where the test begins. */
  async function provision(userName: string, fields: object = {}): Promise<string> {
    const answer = await send('POST', '/Users', { schemas: [userSchema], userName, active: true, ...fields })
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    return answer.body.id
  }

  async function pushGroup(displayName: string, members: string[] = []): Promise<string> {
    const body = { schemas: [groupSchema], displayName, members: members.map((value) => ({ value })) }
    const answer = await send('POST', '/Groups', body)
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    return answer.body.id
  }

  function deactivate(id: string): Promise<Answer> {
    return send('PATCH', `/Users/${id}`, {
      schemas: [patchOp],
      Operations: [{ op: 'replace', value: { active: false } }],
    })
  }

  function activate(id: string): Promise<Answer> {
    return send('PATCH', `/Users/${id}`, {
      schemas: [patchOp],
      Operations: [{ op: 'replace', value: { active: true } }],
    })
  }

  return { deploymentId, jwt, path, token, send, provision, pushGroup, deactivate, activate }
}
