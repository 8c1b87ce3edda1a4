import { Fault } from '../kernel/contract/fault.ts'

/** The registry can be asked, and its answer is no: not an outage, so nothing is served from before it. */
export class RegistryRefusal extends Fault {
  constructor(message: string) {
    super('bad_upstream', message)
  }
}

/** What an upstream is at fault for while it cannot be asked. */
const outages: ReadonlySet<string> = new Set(['bad_upstream', 'unavailable'])

export function isOutage(error: unknown): boolean {
  return error instanceof Fault && outages.has(error.code) && !(error instanceof RegistryRefusal)
}
