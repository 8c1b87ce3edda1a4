export { miscounts, rebuildCounters } from './search/count-store.ts'
export { matchingIssues } from './search/matching.ts'
export { describeIssues, fixedIssue, type IssueDigest, visibleIssue } from './subject-reads.ts'
