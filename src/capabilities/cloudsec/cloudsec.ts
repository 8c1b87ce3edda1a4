import { createPushing, type PushOptions, pushAfterScan } from './push.ts'
import { createCloudsecService } from './service.ts'

/** Everything about cloud-security services. */
export function createCloudsec(options: PushOptions) {
  const { job, pushFindings } = createPushing(options)
  return { service: createCloudsecService(options), handlers: [job], react: pushAfterScan, pushFindings }
}
