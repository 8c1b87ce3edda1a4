import { createMessageJob, createMessagePerformer, tellChannels, tellOfTokens } from './messages/messages.ts'
import { createSubscriptionService } from './messages/subscriptions.ts'
import { type ChatOptions, createChatService } from './service.ts'

/** Everything about chat, on one installation. */
export function createChat(options: ChatOptions) {
  const service = createChatService(options)
  const { installed } = service
  return {
    service,
    subscriptions: createSubscriptionService({ db: options.db, installed }),
    handlers: [createMessageJob(installed)],
    react: tellChannels,
    tellOfTokens,
    postMessage: createMessagePerformer(installed),
  }
}
