import { createChat } from '../capabilities/chat/chat.ts'
import { chatRoutes } from '../capabilities/chat/routes.ts'
import type { ChatOptions } from '../capabilities/chat/service.ts'
import { createCloudsec } from '../capabilities/cloudsec/cloudsec.ts'
import { cloudsecRoutes } from '../capabilities/cloudsec/routes.ts'
import { ticketingRoutes } from '../capabilities/ticketing/routes.ts'
import { createTicketing } from '../capabilities/ticketing/ticketing.ts'
import type { Api } from '../kernel/contract/api.ts'

/** The wiring of what tells others: chat, trackers, cloud-security services. */
export function composeIntegrations(options: ChatOptions) {
  const chat = createChat(options)
  const cloudsec = createCloudsec(options)
  const ticketing = createTicketing(options)

  function serve(api: Api): void {
    chatRoutes(api, chat.service, chat.subscriptions)
    cloudsecRoutes(api, cloudsec.service)
    ticketingRoutes(api, ticketing.instances, ticketing.tickets)
  }

  return {
    serve,
    handlers: [...chat.handlers, ...cloudsec.handlers, ...ticketing.handlers],
    periodic: ticketing.periodic,
    reactions: [ticketing.react, chat.react, cloudsec.react],
    tellOfTokens: chat.tellOfTokens,
    onNewIssues: ticketing.reactToIssues,
    trackers: ticketing.instances,
    /** Who carries out what automations order. */
    performers: {
      ACTION_TYPE_TICKET: ticketing.createTicket,
      ACTION_TYPE_CHAT: chat.postMessage,
      ACTION_TYPE_CLOUDSEC: cloudsec.pushFindings,
    },
  }
}
