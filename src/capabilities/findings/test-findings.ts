import assert from 'node:assert/strict'
import type { Answer, TestGatehouse } from '../../../test/gatehouse.ts'
import { type LogResult, sarifLog } from './test-log.ts'

export const findingsPath = (deploymentId = 1) => `/api/findings/${deploymentId}/findings`

export type FoundFinding = {
  id: string
  repository: string
  ref: string
  title: string
  message: string
  ruleId: string
  severity: string
  triageState: string
  triageReason: string
  decidedBy: string
  deciderId: string
  cause: string
  raisedAt: string
  stateChangedAt: string
  path: string
}

/** Sends a log of one tool as a full scan of a branch. */
export async function sendLog(
  gatehouse: TestGatehouse,
  repository: string,
  results: LogResult[],
  { ref = 'main', tool = 'Tester', as = gatehouse.owner.token } = {},
): Promise<Answer> {
  const path = `/api/scans/v1/deployments/${gatehouse.owner.deploymentId}/scans/raw`
  const query = `?repository=${repository}&ref=${ref}&path=log.sarif`
  const answer = await gatehouse.call('POST', path + query, {
    as,
    body: sarifLog({ tool, results }),
    headers: { 'content-type': 'application/octet-stream' },
  })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer
}

export async function searchAll(
  gatehouse: TestGatehouse,
  body: object = {},
  as = gatehouse.owner.token,
): Promise<FoundFinding[]> {
  const found: FoundFinding[] = []
  for (let cursor = ''; ; ) {
    const answer = await gatehouse.call('POST', `${findingsPath()}/search`, { as, body: { ...body, cursor } })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    found.push(...answer.body.findings)
    if (!answer.body.hasMore) return found
    cursor = answer.body.cursor
  }
}
