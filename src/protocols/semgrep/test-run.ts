import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Answer, TestGatehouse } from '../../../test/gatehouse.ts'
import { searchAll } from '../../capabilities/findings/test-findings.ts'
import { semgrepDocument } from '../../formats/semgrep-results/test-results.ts'

type Ran = Parameters<typeof semgrepDocument>[2]
export type Run = {
  project?: object
  findings?: object[]
  ignores?: object[]
  ran?: Ran
  /** What `complete` says besides. */
  completion?: object
  as?: string
}

/** What the client sends, without the client: for what it cannot be brought to send at will. */
export function semgrepOf(gatehouse: TestGatehouse, repository: string) {
  let commits = 0
  const call = (method: string, path: string, body?: unknown, as = gatehouse.owner.token) =>
    gatehouse.call(method, path, { as, ...(body !== undefined && { body }) })

  function beginning(project: object = {}, scan: object = {}) {
    return {
      scan_metadata: { cli_version: '1.184.0', unique_id: randomUUID(), requested_products: [], ...scan },
      project_metadata: {
        scan_environment: 'git',
        repository,
        branch: 'refs/heads/main',
        commit: (0x1000000 + ++commits).toString(16),
        pull_request_id: null,
        on: 'push',
        is_full_scan: true,
        ...project,
      },
    }
  }

  async function start(project: object = {}, as?: string): Promise<number> {
    return ok(await call('POST', '/api/cli/v2/scans', beginning(project), as)).info.id
  }

  /** A whole run; answers what was decided about it. */
  async function run({ project, findings = [], ignores = [], ran, completion = {}, as }: Run = {}) {
    const id = await start(project, as)
    ok(await call('POST', `/api/agent/scans/${id}/results`, semgrepDocument(findings, ignores, ran), as))
    const stats = { findings: findings.length, errors: [], total_time: 1 }
    return ok(await call('POST', `/api/agent/scans/${id}/complete`, { exit_code: 0, stats, ...completion }, as))
  }

  async function config(project: object = {}) {
    return ok(await call('POST', '/api/cli/scans', beginning(project))).config
  }

  /** `path:line STATE` of what is known, by path. */
  async function states(pullRequest?: number): Promise<string[]> {
    const where = pullRequest ? { pullRequest } : { pullRequests: 'none' }
    const found = await searchAll(gatehouse, { filter: { repositories: [repository], ...where } })
    return found.map((one) => `${one.path} ${one.ruleId} ${one.triageState.slice('TRIAGE_STATE_'.length)}`).sort()
  }

  return { call, beginning, start, run, config, states }
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export function ok({ status, body }: Answer): any {
  assert.equal(status, 200, JSON.stringify(body))
  return body
}
