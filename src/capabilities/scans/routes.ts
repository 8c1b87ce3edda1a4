import type { Api } from '../../kernel/contract/api.ts'
import { endPullRequest, getReceipt, getScan, listScans, uploadDocument, uploadScan } from './contract.ts'
import type { ScanService } from './service.ts'

export function scanRoutes(api: Api, scans: ScanService): void {
  api.serve(uploadScan, ({ actor, body, files }) => scans.upload(actor, body, files))
  api.serve(uploadDocument, ({ actor, query, files }) => scans.uploadDocument(actor, query, files))
  api.serve(endPullRequest, ({ actor, body }) => scans.endPullRequest(actor, body))
  api.serve(listScans, ({ actor, query }) => scans.list(actor, query))
  api.serve(getScan, async ({ actor, params }) => ({ scan: await scans.get(actor, params.scanId) }))
  api.serve(getReceipt, ({ actor, params }) => scans.getReceipt(actor, params.scanId))
}
