import type { ProxiedEcosystemId } from '../ecosystems/ecosystem.ts'
import { Fault } from '../kernel/contract/fault.ts'

/** The registry can be asked, and its answer is no: not an outage, so nothing is served from before it. */
export class RegistryRefusal extends Fault {
  constructor(message: string) {
    super('bad_upstream', message)
  }
}

/** The name is the deployment's own, and no registry is there that may be asked for it. */
export class PrivateNameRefusal extends Fault {
  readonly ecosystem: ProxiedEcosystemId
  readonly packageName: string

  constructor(ecosystem: ProxiedEcosystemId, packageName: string, message: string) {
    super('package_refused', message)
    this.ecosystem = ecosystem
    this.packageName = packageName
  }
}

/** What an upstream is at fault for while it cannot be asked. */
const outages: ReadonlySet<string> = new Set(['bad_upstream', 'unavailable'])

export function isOutage(error: unknown): boolean {
  return error instanceof Fault && outages.has(error.code) && !(error instanceof RegistryRefusal)
}
