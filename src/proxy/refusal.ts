import type { ProxiedEcosystemId } from '../ecosystems/ecosystem.ts'
import { Fault } from '../kernel/contract/fault.ts'
import { OutboundError, type OutboundReason } from '../outbound/outbound-error.ts'

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

/** What is wrong with an answer that came. */
const unusable: ReadonlySet<OutboundReason> = new Set([
  'blocked_address',
  'too_large',
  'bad_redirect',
  'too_many_redirects',
  'bad_response',
])

/** The registry answered, and not with what was asked for. That may be so of one thing alone, and says nothing about others. */
export function isBadAnswer(error: unknown): boolean {
  if (!(error instanceof Fault) || error.code !== 'bad_upstream') return false
  return !(error.cause instanceof OutboundError) || unusable.has(error.cause.reason)
}

export function isOutage(error: unknown): boolean {
  return error instanceof Fault && outages.has(error.code) && !(error instanceof RegistryRefusal)
}
