/**
 * What is triaged alike, and what the API calls the parts of each. `touched` is read again after a decision; `alone` makes one count
 * for nothing but what it names.
 */
export const kinds = {
  finding: {
    search: 'searchFindings',
    list: 'findings',
    triage: 'triageFindings',
    ids: 'findingIds',
    changed: 'changedFindingIds',
    alone: { thisBranchOnly: true },
    permission: 'findings:triage',
    about: 'findingId',
    filter: 'findingFilter',
    touched: ['searchFindings', 'countFindings', 'getFinding', 'listFindingHistory', 'groupFindings', 'facetFindings'],
  },
  issue: {
    search: 'searchIssues',
    list: 'issues',
    triage: 'triageIssues',
    ids: 'issueIds',
    changed: 'changedIssueIds',
    alone: {},
    permission: 'issues:triage',
    about: 'issueId',
    filter: 'issueFilter',
    touched: ['searchIssues', 'countIssues', 'getIssue', 'listIssueActivity'],
  },
} as const

export type Kind = keyof typeof kinds
