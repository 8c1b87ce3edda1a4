import type { Api } from '../../kernel/contract/api.ts'
import { getAuditHead, listAuditEvents } from './contract.ts'
import type { AuditService } from './service.ts'

export function auditRoutes(api: Api, audit: AuditService): void {
  api.serve(getAuditHead, ({ actor }) => audit.head(actor))
  api.serve(listAuditEvents, ({ actor, query }) => audit.list(actor, query))
}
