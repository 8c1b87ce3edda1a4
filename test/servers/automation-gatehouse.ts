import assert from 'node:assert/strict'
import { type LogResult, sarifLog } from '../../src/capabilities/findings/test-log.ts'
import { upload } from '../../src/capabilities/scans/test-upload.ts'
import type { TestGatehouse } from '../gatehouse.ts'

export const everything = { mode: 'MODE_ALL', conditions: [] }
export const signingKey = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

/** Automations of the first deployment, or of another one. */
export function automationsOf(
  gatehouse: TestGatehouse,
  deployment = { id: gatehouse.owner.deploymentId, as: gatehouse.owner.token },
) {
  const { id, as } = deployment
  const path = `/api/notifications/deployments/${id}/automations`

  async function call(method: string, rest: string, body?: object) {
    const answer = await gatehouse.call(method, path + rest, { as, ...(body && { body }) })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body
  }

  async function create(more: object) {
    const usual = { name: 'Test', triggerSource: 'TRIGGER_SOURCE_SCAN', filters: everything }
    return (await call('POST', '', { ...usual, ...more })).automation
  }

  /** Sends a log for a repository and answers the receipt. */
  async function scan(repository: string, results: LogResult[], more: object = {}) {
    const answer = await upload(gatehouse, { repository, ...more }, { 'log.sarif': sarifLog({ results }) })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body
  }

  /** What it did, oldest first, once nothing of it is pending. */
  async function settled(automationId: string) {
    for (;;) {
      const { runs } = await call('GET', `/${automationId}/runs`)
      if (runs.every(({ status }: { status: string }) => status !== 'RUN_STATUS_PENDING')) return runs.toReversed()
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  return { path, call, create, scan, settled }
}
