import { createHash, randomBytes } from 'node:crypto'
import type { Actor } from '../../kernel/access/actor.ts'
import type { Download } from '../../kernel/contract/api.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import type { Database } from '../../kernel/database/database.ts'
import { insertTicket, takeTicket } from './ticket-store.ts'

type ExportTickets<Request> = {
  /**
   * What is exported: a ticket is of use for nothing else, which may take other rights. Empty for findings, so that a process of the release
   * before, which exports nothing else, takes their tickets too.
   */
  kind: string
  pathOf(deploymentId: number): string
  /** Throws where something is wrong with the question: now, where a person can read it. */
  check(actor: Actor, request: Request): unknown
  exportAs(actor: Actor, request: Request): Promise<Download>
}

/** Exports by GET. The ticket in the path says what is wanted, not who asks: that is up to the credentials of the request. */
export function createExportTickets<Request extends object>(db: Database, exports: ExportTickets<Request>) {
  const { kind, pathOf, check, exportAs } = exports

  async function prepareExport(actor: Actor, request: Request) {
    await check(actor, request)
    return db.transaction(actor, async (tx) => {
      const ticket = randomBytes(24).toString('base64url')
      const expiresAt = await insertTicket(tx, hashOf(kind, ticket), request)
      return { path: `${pathOf(actor.deploymentId)}/${ticket}`, expiresAt: expiresAt.toISOString() }
    })
  }

  async function downloadExport(actor: Actor, ticket: string): Promise<Download> {
    const request = await db.transaction(actor, (tx) => takeTicket<Request>(tx, hashOf(kind, ticket)))
    if (!request) throw new Fault('not_found', 'No such export: it was fetched already, or is over. Prepare it again.')
    return exportAs(actor, request)
  }

  return { prepareExport, downloadExport }
}

function hashOf(kind: string, ticket: string): Buffer {
  return createHash('sha256')
    .update(kind + ticket)
    .digest()
}
