import assert from 'node:assert/strict'
import type { Answer, TestGatehouse } from '../../../test/gatehouse.ts'

export type Report = { externalKey: string; title?: string; severity?: string; [field: string]: unknown }

/** Calls about issues of the first deployment, as its owner unless told otherwise. */
export function issuesOf(gatehouse: TestGatehouse) {
  const base = `/api/issues/${gatehouse.owner.deploymentId}`
  const call = (
    method: string,
    path: string,
    body?: unknown,
    more: { as?: string; headers?: Record<string, string> } = {},
  ) => gatehouse.call(method, `${base}${path}`, { ...(body !== undefined && { body }), ...more })

  function send(reports: Report[], as?: string): Promise<Answer> {
    const issues = reports.map((report) => ({
      title: `About ${report.externalKey}`,
      severity: 'SEVERITY_MEDIUM',
      ...report,
    }))
    return call('POST', '/issues', { issues }, as ? { as } : {})
  }

  /** The ids of the reported issues, in the order of the reports. */
  async function report(reports: Report[], as?: string): Promise<string[]> {
    return (await ok(send(reports, as))).results.map((result: { issueId: string }) => result.issueId)
  }

  async function get(id: string, as?: string) {
    return (await ok(call('GET', `/issue/${id}`, undefined, as ? { as } : {}))).data
  }

  async function triage(id: string, triageState: string, triageReason?: string) {
    return (await ok(call('POST', `/issue/${id}`, { triageState, ...(triageReason && { triageReason }) }))).data
  }

  /** All of it, oldest first. */
  async function activity(id: string) {
    const all = []
    for (let cursor = 0; ; ) {
      const page = await ok(call('GET', `/issue/${id}/activity?cursor=${cursor}`))
      all.push(...page.activity)
      if (!page.hasMore) return all.reverse()
      cursor = page.cursor
    }
  }

  /** The keys (which stand in the titles) of all that a search finds, in its order. */
  async function search(request: object = {}, as?: string): Promise<string[]> {
    const found: string[] = []
    for (let cursor = ''; ; ) {
      const page = await ok(call('POST', '/issues/search', { ...request, cursor }, as ? { as } : {}))
      found.push(...page.issues.map((issue: { title: string }) => issue.title.replace('About ', '')))
      assert.equal(page.hasMore, page.cursor !== '')
      if (!page.hasMore) return found
      cursor = page.cursor
    }
  }

  async function counts(filter?: object, as?: string) {
    return ok(call('POST', '/issues/counts', filter ? { filter } : {}, as ? { as } : {}))
  }

  return { base, call, send, report, get, triage, activity, search, counts }
}

export async function ok(answer: Promise<Answer>): Promise<Answer['body']> {
  const { status, body } = await answer
  assert.equal(status, 200, JSON.stringify(body))
  return body
}
