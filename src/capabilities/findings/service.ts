import type { Database } from '../../kernel/database/database.ts'
import type { CursorSeal } from '../../vault/cursor-seal.ts'
import { createBranchForgetting, endBranch } from './branches/end-branch.ts'
import { settleDuplicatesEarly } from './counters/counter-changes.ts'
import { createCounterMerging } from './counters/counter-merging.ts'
import { createDayCounting } from './counters/day-counting.ts'
import { createFindingDeadlines } from './deadlines/deadlines.ts'
import { createFindingExport } from './export/export.ts'
import { followDefaultBranch } from './ingest/default-branch.ts'
import { createReconcile } from './ingest/reconcile.ts'
import { blockingFindings } from './lifecycle/blocking-findings.ts'
import { blockingRules, guardrailsInForce } from './lifecycle/guardrails.ts'
import type { ApplyMemories } from './lifecycle/memory-decisions.ts'
import { subjects } from './lifecycle/subjects.ts'
import { createFindingTriage, type WhenDecided } from './lifecycle/triage.ts'
import { createForgetting, endMerged, endPullRequest } from './pull-requests/end-pull-request.ts'
import { listMerged } from './pull-requests/end-store.ts'
import { createFindingRules } from './rules/rules.ts'
import { createFindingGroups } from './search/groups.ts'
import { createFindingSearch } from './search/search.ts'
import { createWordIndexing } from './word-index/indexing.ts'

export type Findings = ReturnType<typeof createFindings>

/** What memories do when findings are observed, and when people have decided. */
export type MemoryEffects = { remember: ApplyMemories; whenDecided: WhenDecided }

type Given = { branchDays: number; publicUrl: string }

export function createFindings(db: Database, cursors: CursorSeal, memories: MemoryEffects, given: Given) {
  return {
    ...createReconcile(guardrailsInForce, memories.remember),
    ...createFindingSearch(db, cursors),
    ...createFindingGroups(db, cursors),
    ...createFindingTriage(db, memories.whenDecided),
    ...createFindingDeadlines(db),
    ...createFindingRules(db),
    ...createFindingExport(db, given.publicUrl),
    subjects,
    blockingRules,
    blockingFindings,
    endPullRequest,
    endBranch,
    listMerged,
    endMerged,
    settleDuplicates: settleDuplicatesEarly,
    followDefaultBranch,
    periodic: [
      createWordIndexing(db),
      createCounterMerging(db),
      createDayCounting(db),
      createForgetting(db),
      createBranchForgetting(db, given.branchDays),
    ],
  }
}
