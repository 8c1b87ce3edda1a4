import type { Capability } from '../../../domain/capability.ts'
import { reviewNews } from '../overrides/review-news.ts'
import { refusedNews } from '../refused-news.ts'
import { createEvidence } from './evidence.ts'
import { exceptionNews, type NewsOptions } from './exception-news.ts'
import { exceptionRoutes } from './exception-routes.ts'
import { createExceptionSettings } from './exception-settings.ts'
import { createExceptions, type ExceptionOptions, type Exceptions } from './exceptions.ts'
import { createRejudging, type RejudgingOptions } from './rejudging.ts'

/** Everything about exceptions from refusals, and about telling people of both. */
export function createExceptionCapability(options: ExceptionOptions & NewsOptions & RejudgingOptions) {
  const exceptions = createExceptions(options)
  const evidence = createEvidence({ ...options, exceptions })
  const settings = createExceptionSettings(options.db, options.firewall)
  const byMail = options.mailer !== undefined
  const rejudging = createRejudging(options)
  return {
    serve: (api) => exceptionRoutes(api, { exceptions, evidence, settings, byMail }),
    handlers: [...exceptionNews(options), ...reviewNews(options), refusedNews(options)],
    periodic: [rejudging],
    rejudge: rejudging.run,
    exceptions,
  } satisfies Capability & { rejudge(): Promise<void>; exceptions: Exceptions }
}
