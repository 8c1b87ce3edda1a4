import type { Api } from '../../kernel/contract/api.ts'
import { pageRequest } from '../../kernel/contract/pagination.ts'
import {
  checkCodeHost,
  connectCodeHost,
  getCodeHost,
  listCodeHosts,
  receiveCodeHostEvent,
  removeCodeHost,
  replaceCodeHostWebhookSecret,
  updateCodeHost,
} from './contract.ts'
import type { CodeHostService } from './service.ts'
import type { createEventReceiver } from './webhooks/receive-event.ts'

export function feedbackRoutes(
  api: Api,
  hosts: CodeHostService,
  receive: ReturnType<typeof createEventReceiver>,
): void {
  api.serve(listCodeHosts, ({ actor, query }) => hosts.list(actor, pageRequest(query)))
  api.serve(connectCodeHost, ({ actor, body }) => hosts.connect(actor, body))
  api.serve(getCodeHost, async ({ actor, params }) => ({ codeHost: await hosts.get(actor, params.codeHostId) }))
  api.serve(updateCodeHost, async ({ actor, params, body }) => ({
    codeHost: await hosts.update(actor, params.codeHostId, body),
  }))
  api.serve(checkCodeHost, ({ actor, params }) => hosts.check(actor, params.codeHostId))
  api.serve(replaceCodeHostWebhookSecret, ({ actor, params }) => hosts.replaceWebhookSecret(actor, params.codeHostId))
  api.serve(removeCodeHost, async ({ actor, params }) => ({ codeHost: await hosts.remove(actor, params.codeHostId) }))
  api.serve(receiveCodeHostEvent, async ({ params, signed, body, requestId }) => {
    await receive(params.codeHostId, signed!, body, requestId)
    return { received: true }
  })
}
