export { head as auditHead } from './store.ts'
export { type ExportedHead, firstBreak } from './verify.ts'
