import type { Database } from '../../kernel/database.ts'
import type { CursorSeal } from '../../vault/cursor-seal.ts'
import { createFindingExport } from './export.ts'
import { guardrailsInForce } from './guardrails.ts'
import { createReconcile } from './reconcile.ts'
import { createFindingSearch } from './search.ts'
import { subjects } from './subjects.ts'
import { createFindingTriage } from './triage.ts'

export type Findings = ReturnType<typeof createFindings>

export function createFindings(db: Database, cursors: CursorSeal) {
  return {
    ...createReconcile(guardrailsInForce),
    ...createFindingSearch(db, cursors),
    ...createFindingTriage(db),
    ...createFindingExport(db),
    subjects,
  }
}
