import type { Api } from '../../kernel/contract/api.ts'
import type { EndBranch } from '../findings/public.ts'
import { createFeedbackJob, type FeedbackOptions, tellPullRequest } from './delivery/job.ts'
import { feedbackRoutes } from './routes.ts'
import { createCodeHostService } from './service.ts'
import { createEventReceiver } from './webhooks/receive-event.ts'

/** What pull requests are told at their code host, and what it tells us of them. */
export function createPullRequestFeedback(options: FeedbackOptions & { endBranch: EndBranch }) {
  const hosts = createCodeHostService(options)
  const receive = createEventReceiver(options)
  return {
    serve: (api: Api) => feedbackRoutes(api, hosts, receive),
    handlers: [createFeedbackJob(options)],
    react: tellPullRequest,
  }
}
