import { createHash, randomBytes } from 'node:crypto'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Download } from '../../../kernel/contract/api.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { FindingExport } from '../contract.ts'
import { readFilter } from '../search/read-filter.ts'
import { insertTicket, takeTicket } from './ticket-store.ts'

type ExportAs = (actor: Actor, request: FindingExport) => Promise<Download>

/** Exports by GET. The ticket in the path says what is wanted, not who asks: that is up to the credentials of the request. */
export function createExportTickets(db: Database, exportAs: ExportAs) {
  async function prepareExport(actor: Actor, request: FindingExport) {
    // What is wrong with the question is said now, where a person can read it.
    readFilter(actor, request.filter ?? {})
    const ticket = randomBytes(24).toString('base64url')
    const expiresAt = await db.transaction(actor, (tx) => insertTicket(tx, hashOf(ticket), request))
    const path = `/api/findings/${actor.deploymentId}/exports/${ticket}`
    return { path, expiresAt: expiresAt.toISOString() }
  }

  async function downloadExport(actor: Actor, ticket: string): Promise<Download> {
    const request = await db.transaction(actor, (tx) => takeTicket(tx, hashOf(ticket)))
    if (!request) throw new Fault('not_found', 'No such export: it was fetched already, or is over. Prepare it again.')
    return exportAs(actor, request)
  }

  return { prepareExport, downloadExport }
}

function hashOf(ticket: string): Buffer {
  return createHash('sha256').update(ticket).digest()
}
