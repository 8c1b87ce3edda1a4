export { recount } from './ledger.ts'
export { observe } from './observed.ts'
export { createPacker, type PackedFindings } from './pack.ts'
export type { Reconcile, ReconcilePacked } from './reconcile.ts'
