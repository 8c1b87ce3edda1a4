import assert from 'node:assert/strict'
import type { TestGatehouse } from '../../../test/gatehouse.ts'
import { searchAll } from './test-findings.ts'

/** A result as a log has it; without `code` as linters write it. */
export type Result = { rule?: string; line?: number; code?: string; baselineState?: string; secret?: boolean }

export type Change = { ref?: string; pullRequest?: number; baseRef?: string } & Record<string, unknown>

type Tally = Record<'total' | 'raised' | 'reopened' | 'fixed' | 'inherited' | 'undetermined', number>
type Receipt = {
  repeated: boolean
  blocked: boolean
  blockedByRules: string[]
  notCompared: string[]
  files: { findings: Tally }[]
}

export function log(results: readonly Result[], { tool = 'Tester', failed = false } = {}): string {
  const invocations = failed ? { invocations: [{ executionSuccessful: false }] } : {}
  const run = { tool: { driver: { name: tool } }, ...invocations, results: results.map(toResult) }
  return JSON.stringify({ version: '2.1.0', runs: [run] })
}

function toResult({ rule = 'no-eval', line = 1, code, baselineState, secret }: Result) {
  const region = { startLine: line, ...(code && { snippet: { text: code } }) }
  return {
    ruleId: rule,
    level: 'error',
    message: { text: 'It is not safe.' },
    locations: [{ physicalLocation: { artifactLocation: { uri: 'src/a.js' }, region } }],
    ...(baselineState && { baselineState }),
    ...(secret && { properties: { tags: ['secret-detection'] } }),
  }
}

/** What tests ask one Gatehouse about pull requests. */
export function pullRequestsOf(gatehouse: TestGatehouse) {
  async function send(repository: string, document: string, change: Change = {}) {
    const { pullRequest, baseRef = 'main', ...rest } = change
    const kind = pullRequest ? { kind: 'SCAN_KIND_PULL_REQUEST', pullRequest, baseRef, ref: 'change' } : {}
    const form = new FormData()
    form.append('scan', JSON.stringify({ repository, ref: 'main', ...kind, ...rest }))
    form.append('log.sarif', document)
    const { deploymentId, token } = gatehouse.owner
    const path = `/api/scans/v1/deployments/${deploymentId}/scans`
    const headers = { authorization: `Bearer ${token}` }
    const answer = await fetch(gatehouse.url + path, { method: 'POST', headers, body: form })
    const receipt = (await answer.json()) as Receipt
    assert.equal(answer.status, 200, JSON.stringify(receipt))
    return { ...receipt, tally: receipt.files[0]!.findings }
  }

  /** `rule STATE` of what a pull request has, by rule. */
  async function standing(repository: string, pullRequest: number): Promise<string[]> {
    const found = await searchAll(gatehouse, { filter: { repositories: [repository], pullRequest } })
    return found.map((one) => `${one.ruleId} ${one.triageState.slice('TRIAGE_STATE_'.length)}`).sort()
  }

  /** The pull request as the list of them has it. */
  async function listed(repository: string, pullRequest: number) {
    const path = `/api/scans/v1/deployments/${gatehouse.owner.deploymentId}/pull-requests?pullRequest=${pullRequest}`
    const { pullRequests } = (await gatehouse.call('GET', path)).body
    return pullRequests.find((one: { repository: string }) => one.repository === repository)
  }

  async function end(repository: string, pullRequest: number, more: object = {}, as = gatehouse.owner.token) {
    const path = `/api/scans/v1/deployments/${gatehouse.owner.deploymentId}/ended-pull-requests`
    return gatehouse.call('POST', path, { as, body: { repository, pullRequest, ...more } })
  }

  async function setMode(mode: string, rule = '*'): Promise<void> {
    const path = `/api/policies/v1/deployments/${gatehouse.owner.deploymentId}/policies`
    for (const { id } of (await gatehouse.call('GET', path)).body.policies) {
      const answer = await gatehouse.call('PUT', `${path}/${id}/rules`, { body: { rules: [{ rule, mode }] } })
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
    }
  }

  return { send, standing, listed, end, setMode }
}
