import type { Api } from '../../kernel/contract/api.ts'
import {
  completeChatInstallation,
  getChatInstallation,
  getChatInstallUrl,
  listChatChannels,
  sendChatTestMessage,
  uninstallChat,
} from './contract.ts'
import {
  createChatSubscription,
  deleteChatSubscription,
  listChatSubscriptions,
  updateChatSubscription,
} from './messages/subscription-contract.ts'
import type { SubscriptionService } from './messages/subscriptions.ts'
import type { ChatService } from './service.ts'

export function chatRoutes(api: Api, chat: ChatService, subscriptions: SubscriptionService): void {
  api.serve(getChatInstallation, ({ actor }) => chat.get(actor))
  api.serve(getChatInstallUrl, async ({ actor }) => ({ redirect_url: await chat.start(actor) }))
  api.serve(completeChatInstallation, ({ actor, body }) => chat.complete(actor, body))
  api.serve(uninstallChat, ({ actor }) => chat.uninstall(actor))
  api.serve(listChatChannels, ({ actor, query }) => chat.channels(actor, query))
  api.serve(sendChatTestMessage, ({ actor, body }) => chat.sendTest(actor, body.channel))
  api.serve(listChatSubscriptions, async ({ actor }) => ({ subscriptions: await subscriptions.list(actor) }))
  api.serve(createChatSubscription, async ({ actor, body }) => ({
    subscription: await subscriptions.create(actor, body),
  }))
  api.serve(updateChatSubscription, async ({ actor, params, body }) => ({
    subscription: await subscriptions.update(actor, params.subscriptionId, body),
  }))
  api.serve(deleteChatSubscription, async ({ actor, params }) => ({
    subscription: await subscriptions.remove(actor, params.subscriptionId),
  }))
}
