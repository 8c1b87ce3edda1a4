type Made = { triageState: string; triageReason?: string | undefined }

const noReason = 'TRIAGE_REASON_UNSPECIFIED'

/**
 * What is triaged alike, and what the API calls the parts of each. `touched` is read again after a decision; `alone` makes one count
 * for nothing but what it names; `still` names those that are as a decision left them, where the API can tell.
 */
export const kinds = {
  finding: {
    search: 'searchFindings',
    list: 'findings',
    triage: 'triageFindings',
    ids: 'findingIds',
    changed: 'changedFindingIds',
    unchanged: 'unchangedFindingIds',
    still: (findingIds: readonly string[], made: Made) => ({
      filter: { findingIds, triageStates: [made.triageState], triageReasons: [made.triageReason ?? noReason] },
    }),
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
    unchanged: 'unchangedIssueIds',
    still: (issueIds: readonly string[], _made: Made) => ({ issueIds }),
    alone: {},
    permission: 'issues:triage',
    about: 'issueId',
    filter: 'issueFilter',
    touched: ['searchIssues', 'countIssues', 'getIssue', 'listIssueActivity'],
  },
} as const

export type Kind = keyof typeof kinds
