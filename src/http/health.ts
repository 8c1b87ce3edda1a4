import type { Api } from '../kernel/contract/api.ts'
import { Fault } from '../kernel/contract/fault.ts'
import { getHealth, getReadiness } from './health-contract.ts'

export type Readiness = { closing: boolean; ping(): Promise<void> }

/** `hasAdvisories`: until then every package is refused, and whoever is asked for one is better another process. */
export function healthRoutes(api: Api, readiness: Readiness, hasAdvisories: () => boolean): void {
  api.serve(getHealth, () => ({ status: 'alive' as const }))
  api.serve(getReadiness, async () => {
    if (readiness.closing) throw new Fault('unavailable', 'The process is shutting down.', { retryAfterSeconds: 5 })
    await readiness.ping()
    if (!hasAdvisories()) throw new Fault('unavailable', 'The advisories are not loaded yet.', { retryAfterSeconds: 5 })
    return { status: 'ready' as const }
  })
}
