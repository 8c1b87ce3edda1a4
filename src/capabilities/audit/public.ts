export { anchor as auditAnchor, head as auditHead } from './store.ts'
export { type Lag, syslogLag } from './streams/stream-store.ts'
export { type ExportedHead, firstBreak } from './verify.ts'
