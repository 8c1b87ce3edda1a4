import type { Api } from '../../kernel/contract/api.ts'
import {
  configureTicketing,
  connectTicketing,
  disconnectTicketing,
  getTicketingChoices,
  getTicketingInstance,
  listTicketingInstances,
  reconnectTicketing,
  validateTicketing,
} from './contract.ts'
import type { TicketingService } from './instances/service.ts'
import { ticketRoutes } from './tickets/ticket-routes.ts'
import type { TicketService } from './tickets/tickets.ts'

export function ticketingRoutes(api: Api, ticketing: TicketingService, tickets: TicketService): void {
  ticketRoutes(api, tickets)
  api.serve(listTicketingInstances, async ({ actor }) => ({ instances: await ticketing.list(actor) }))
  api.serve(connectTicketing, ({ actor, body }) => ticketing.connect(actor, body))
  api.serve(getTicketingInstance, ({ actor, params }) => ticketing.get(actor, params.instanceId))
  api.serve(reconnectTicketing, ({ actor, params, body }) => ticketing.reconnect(actor, params.instanceId, body))
  api.serve(configureTicketing, ({ actor, params, body }) => ticketing.configure(actor, params.instanceId, body))
  api.serve(validateTicketing, ({ actor, params }) => ticketing.validate(actor, params.instanceId))
  api.serve(disconnectTicketing, ({ actor, params }) => ticketing.disconnect(actor, params.instanceId))
  api.serve(getTicketingChoices, ({ actor, params, query }) => ticketing.choices(actor, params.instanceId, query))
}
