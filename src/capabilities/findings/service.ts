import type { Database } from '../../kernel/database.ts'
import { guardrailsInForce } from './guardrails.ts'
import { createReconcile } from './reconcile.ts'
import { subjects } from './subjects.ts'

export type Findings = ReturnType<typeof createFindings>

export function createFindings(_db: Database) {
  return { ...createReconcile(guardrailsInForce), subjects }
}
