import type { Api } from '../../../kernel/contract/api.ts'
import { pageRequest } from '../../../kernel/contract/pagination.ts'
import { createTicket, getTicket, linkTicket, listTickets, unlinkTicket } from './ticket-contract.ts'
import type { TicketService } from './tickets.ts'

export function ticketRoutes(api: Api, tickets: TicketService): void {
  api.serve(listTickets, ({ actor, query }) => tickets.list(actor, query, pageRequest(query)))
  api.serve(getTicket, async ({ actor, params }) => ({ ticket: await tickets.get(actor, params.ticketId) }))
  api.serve(createTicket, async ({ actor, body }) => ({ ticket: await tickets.create(actor, body) }))
  api.serve(linkTicket, async ({ actor, body }) => ({ ticket: await tickets.link(actor, body) }))
  api.serve(unlinkTicket, async ({ actor, params, body }) => ({
    ticket: await tickets.unlink(actor, params.ticketId, body),
  }))
}
