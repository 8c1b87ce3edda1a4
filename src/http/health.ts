import type { Api } from '../kernel/contract/api.ts'
import { Fault } from '../kernel/contract/fault.ts'
import { getHealth, getReadiness } from './health-contract.ts'

export type Readiness = { closing: boolean; ping(): Promise<void> }

export function healthRoutes(api: Api, readiness: Readiness): void {
  api.serve(getHealth, () => ({ status: 'alive' as const }))
  api.serve(getReadiness, async () => {
    if (readiness.closing) throw new Fault('unavailable', 'The process is shutting down.', { retryAfterSeconds: 5 })
    await readiness.ping()
    return { status: 'ready' as const }
  })
}
