export { categoryCodes } from '../../domain/finding-codes.ts'
export type { EndBranch } from './branches/end-branch.ts'
export { standingBranches } from './branches/end-branch-store.ts'
export type { SettleDuplicates } from './counters/counter-changes.ts'
export { rebuildCounters } from './counters/rebuild.ts'
export { recount } from './counters/recount.ts'
export { firstState, stoodMore } from './counters/stood.ts'
export { openIn } from './counters/tally-store.ts'
export type { FindSuccessors } from './identity/successors.ts'
export { followInventory } from './ingest/default-branch.ts'
export { listBranchStreams } from './ingest/default-branch-store.ts'
export { observe } from './ingest/observation.ts'
export { createPacker, type PackedFindings } from './ingest/pack.ts'
export type { Covers, Reconcile, ReconcilePacked } from './ingest/reconcile.ts'
export { identifyRules, openStream } from './ingest/reconcile-store.ts'
export { listFoundRules, repositoriesWithoutOpen } from './ingest/rule-reads.ts'
export { type RuleMatch, type RuleSort, searchRules } from './ingest/rule-search.ts'
export {
  branchesOf,
  endedSince,
  hasStanding,
  isStanding,
  listStoredFindings,
  listVulnerabilityIds,
  openByAdvisories,
  openInPullRequest,
  scansOfStreams,
  wasObserved,
} from './ingest/stream-reads.ts'
export { ignoredToolIds, toolIdsOf } from './ingest/tool-ids.ts'
export type { BlockingFindings } from './lifecycle/blocking-findings.ts'
export { type DependencyDecision, listDependencyDecisions } from './lifecycle/dependency-decisions.ts'
export type { BlockingRules } from './lifecycle/guardrails.ts'
export {
  type ApplyMemories,
  applyMemoryDecisions,
  type MemoryDecision,
  type ObservedFindings,
  withoutMemory,
} from './lifecycle/memory-decisions.ts'
export {
  describeFindings,
  describeSevere,
  type FindingDigest,
  fixedFinding,
  visibleFinding,
} from './lifecycle/subject-reads.ts'
export type { Subjects } from './lifecycle/subjects.ts'
export type { ToldFinding } from './lifecycle/told-finding.ts'
export type { WhenDecided } from './lifecycle/triage.ts'
export { matchingFindings } from './lifecycle/triage-store.ts'
export type { EndMerged, EndPullRequest } from './pull-requests/end-pull-request.ts'
export type { ListMerged } from './pull-requests/end-store.ts'
export { recordedInPullRequests } from './pull-requests/recorded.ts'
export { shownInPullRequest } from './pull-requests/shown.ts'
