import assert from 'node:assert/strict'
import type { ComposeOptions } from '../../src/compose/compose.ts'
import { startChatService } from '../../src/sandbox/chat-service.ts'
import { type Answer, openGatehouse, type Request } from '../gatehouse.ts'

/** A Gatehouse whose chat service is the sandbox's, and whose clock stands until it is moved. */
export async function openChatGatehouse({
  settings = {},
  worker,
}: {
  settings?: Record<string, string>
  worker?: ComposeOptions['worker']
} = {}) {
  let now = Date.now()
  const clock = { now: () => new Date(now) }
  const lines: string[] = []
  const chat = await startChatService({ clock })
  const gatehouse = await openGatehouse({
    clock,
    ...(worker ? { worker } : {}),
    env: {
      GATEHOUSE_CHAT_CLIENT_ID: chat.app.clientId,
      GATEHOUSE_CHAT_CLIENT_SECRET: chat.app.clientSecret,
      GATEHOUSE_CHAT_URL: chat.url,
      GATEHOUSE_EGRESS_ALLOW: '127.0.0.1',
      GATEHOUSE_URL: 'https://gatehouse.example.com',
      ...settings,
    },
    log: (line) => lines.push(line),
  })
  const { deploymentId } = gatehouse.owner

  function call(method: string, rest: string, request: Request = {}, deployment = deploymentId): Promise<Answer> {
    return gatehouse.call(method, `/api/agent/deployments/${deployment}/chat${rest}`, request)
  }

  /** The address that starts an installation, opened in the sandbox's browser and agreed to. */
  async function approved(as = gatehouse.owner.token, deployment = deploymentId) {
    const { status, body } = await call('GET', '/install', { as }, deployment)
    assert.equal(status, 200, JSON.stringify(body))
    return chat.approve(body.redirect_url)
  }

  const complete = (body: object, as = gatehouse.owner.token, deployment = deploymentId) =>
    call('POST', '/oauth/callback', { as, body }, deployment)
  const installation = (as = gatehouse.owner.jwt, deployment = deploymentId) =>
    call('GET', '/installations', { as }, deployment)

  async function install(): Promise<void> {
    const answer = await complete(await approved())
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  }

  async function auditLog(): Promise<{ action: string }[]> {
    const answer = await gatehouse.call('GET', `/api/audit/v1/deployments/${deploymentId}/events?pageSize=100`)
    return answer.body.events
  }

  return {
    gatehouse,
    chat,
    lines,
    clock,
    call,
    approved,
    complete,
    installation,
    install,
    auditLog,
    pass: (ms: number) => {
      now += ms
    },
    async close() {
      await gatehouse.close()
      await chat.close()
    },
  }
}
