import type { Api } from '../../kernel/api.ts'
import {
  completeChatInstallation,
  getChatInstallation,
  getChatInstallUrl,
  listChatChannels,
  sendChatTestMessage,
  uninstallChat,
} from './contract.ts'
import type { ChatService } from './service.ts'

export function chatRoutes(api: Api, chat: ChatService): void {
  api.serve(getChatInstallation, ({ actor }) => chat.get(actor))
  api.serve(getChatInstallUrl, async ({ actor }) => ({ redirect_url: await chat.start(actor) }))
  api.serve(completeChatInstallation, ({ actor, body }) => chat.complete(actor, body))
  api.serve(uninstallChat, ({ actor }) => chat.uninstall(actor))
  api.serve(listChatChannels, ({ actor, query }) => chat.channels(actor, query))
  api.serve(sendChatTestMessage, ({ actor, body }) => chat.sendTest(actor, body.channel))
}
