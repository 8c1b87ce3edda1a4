import type { Api } from '../../../kernel/contract/api.ts'
import { cutPage, pageRequest } from '../../../kernel/contract/pagination.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { listPullRequests, type ScannedPullRequest } from './pull-request-contract.ts'
import { listLast, type PullRequestRow } from './pull-request-store.ts'

export function pullRequestRoutes(api: Api, db: Database): void {
  api.serve(listPullRequests, async ({ actor, query }) => {
    const page = pageRequest(query)
    const { rows, ...rest } = cutPage(await listLast(db.as(actor), actor, query, page), page)
    return { pullRequests: rows.map(toPullRequest), ...rest }
  })
}

function toPullRequest(row: PullRequestRow): ScannedPullRequest {
  return {
    repositoryId: row.repository_id,
    repository: row.repository,
    pullRequest: row.pull_request,
    ref: row.ref,
    baseRef: row.base_ref,
    commit: row.commit,
    blocked: row.blocked,
    notCompared: row.not_compared,
    over: row.over,
    openFindings: row.open,
    shownFindings: row.shown,
    scans: row.scans,
    lastScanId: row.id,
    lastScanAt: row.at.toISOString(),
  }
}
