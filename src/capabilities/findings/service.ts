import type { Database } from '../../kernel/database.ts'
import type { CursorSeal } from '../../vault/cursor-seal.ts'
import { createFindingExport } from './export.ts'
import { blockingRules, guardrailsInForce } from './guardrails.ts'
import type { Remember } from './hold.ts'
import { createReconcile } from './reconcile.ts'
import { createFindingSearch } from './search.ts'
import { createSheetMerging } from './sheet-merging.ts'
import { createSigning } from './signing.ts'
import { subjects } from './subjects.ts'
import { createFindingTriage, type WhenDecided } from './triage.ts'

export type Findings = ReturnType<typeof createFindings>

/** What memories do when findings are observed, and when people have decided. */
export type MemoryEffects = { remember: Remember; whenDecided: WhenDecided }

export function createFindings(db: Database, cursors: CursorSeal, memories: MemoryEffects) {
  return {
    ...createReconcile(guardrailsInForce, memories.remember),
    ...createFindingSearch(db, cursors),
    ...createFindingTriage(db, memories.whenDecided),
    ...createFindingExport(db),
    subjects,
    blockingRules,
    periodic: [createSigning(db), createSheetMerging(db)],
  }
}
