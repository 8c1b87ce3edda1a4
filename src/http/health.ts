import type { Api } from '../kernel/contract/api.ts'
import { Fault } from '../kernel/contract/fault.ts'
import { getHealth, getReadiness } from './health-contract.ts'

export type Readiness = { closing: boolean; ping(): Promise<void> }

/** Until a process `knowsAdvisories` its firewall refuses every package, so that requests had better go to another. */
export function healthRoutes(api: Api, readiness: Readiness, knowsAdvisories: () => boolean): void {
  api.serve(getHealth, () => ({ status: 'alive' as const }))
  api.serve(getReadiness, async () => {
    if (readiness.closing) throw new Fault('unavailable', 'The process is shutting down.', { retryAfterSeconds: 5 })
    await readiness.ping()
    if (!knowsAdvisories())
      throw new Fault('unavailable', 'The advisories are not loaded yet.', { retryAfterSeconds: 5 })
    return { status: 'ready' as const }
  })
}
