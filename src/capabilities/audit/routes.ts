import type { Api } from '../../kernel/contract/api.ts'
import { exportAuditEvents, getAuditHead, listAuditEvents, verifyAuditLog } from './contract.ts'
import type { AuditService } from './service.ts'

export function auditRoutes(api: Api, audit: AuditService): void {
  api.serve(getAuditHead, ({ actor }) => audit.head(actor))
  api.serve(listAuditEvents, ({ actor, query }) => audit.list(actor, query))
  api.serve(exportAuditEvents, ({ actor, body }) => audit.exportAs(actor, body.filter ?? {}))
  api.serve(verifyAuditLog, ({ actor, body }) => audit.verify(actor, body.heads ?? []))
}
