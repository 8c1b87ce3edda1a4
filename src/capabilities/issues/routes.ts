import type { Api } from '../../kernel/contract/api.ts'
import {
  countIssues,
  getIssue,
  ingestIssues,
  listIssueActivity,
  searchIssues,
  triageIssue,
  triageIssues,
} from './contract.ts'
import type { IssueIngestion } from './ingest/ingest.ts'
import type { IssueSearcher } from './search/search.ts'
import type { IssueService } from './service.ts'

export function issueRoutes(api: Api, issues: IssueService, ingestion: IssueIngestion, searcher: IssueSearcher): void {
  api.serve(triageIssue, async ({ actor, params, body }) => ({
    data: await issues.triage(actor, params.issueId, body),
  }))
  api.serve(getIssue, async ({ actor, params }) => ({ data: await issues.get(actor, params.issueId) }))
  api.serve(listIssueActivity, ({ actor, params, query }) => issues.activity(actor, params.issueId, query))
  api.serve(ingestIssues, async ({ actor, body }) => ({ results: await ingestion.ingest(actor, body.issues) }))
  api.serve(searchIssues, ({ actor, body }) => searcher.search(actor, body))
  api.serve(countIssues, ({ actor, body }) => searcher.count(actor, body.filter ?? {}))
  api.serve(triageIssues, ({ actor, body }) => issues.triageMany(actor, body))
}
