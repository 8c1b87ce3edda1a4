import type { Api } from '../../kernel/contract/api.ts'
import { exportAuditEvents, getAuditHead, listAuditEvents, verifyAuditLog } from './contract.ts'
import type { AuditService } from './service.ts'
import { getAuditWebhook, removeAuditWebhook, setAuditWebhook } from './streams/stream-contract.ts'
import type { AuditStreams } from './streams/streams.ts'

export function auditRoutes(api: Api, audit: AuditService, streams: AuditStreams): void {
  api.serve(getAuditHead, ({ actor }) => audit.head(actor))
  api.serve(listAuditEvents, ({ actor, query }) => audit.list(actor, query))
  api.serve(exportAuditEvents, ({ actor, body }) => audit.exportAs(actor, body.filter ?? {}, body.chained ?? false))
  api.serve(verifyAuditLog, ({ actor, body }) => audit.verify(actor, body.heads ?? []))
  api.serve(getAuditWebhook, async ({ actor }) => ({ webhook: await streams.get(actor) }))
  api.serve(setAuditWebhook, async ({ actor, body }) => ({ webhook: await streams.set(actor, body) }))
  api.serve(removeAuditWebhook, async ({ actor }) => ({ webhook: await streams.remove(actor) }))
}
