import { Fault, type FaultCode } from '../kernel/contract/fault.ts'
import { passedOn } from './client/retry-after.ts'

/** Why a service did not do what a deployment asks of it, whichever service it is. */
type ServiceReason =
  /** It understood, and does not take what we sent. */
  | 'refused'
  | 'rate_limited'
  /** The address rules keep us from it. */
  | 'blocked'
  /** No answer, or one that no such service gives. Whether it did what it was asked to is not known. */
  | 'unreachable'

/** The message is ours: what the other side said is not repeated, since it may repeat secrets. */
export class ServiceError<OwnReason extends string> extends Error {
  readonly reason: ServiceReason | OwnReason
  /** Where the service says so. */
  readonly retryAfterSeconds: number | undefined

  constructor(reason: ServiceReason | OwnReason, message: string, retryAfterSeconds?: number) {
    super(message)
    this.name = new.target.name
    this.reason = reason
    this.retryAfterSeconds = retryAfterSeconds
  }

  /** Another try may help. */
  get isPassing(): boolean {
    return this.reason === 'rate_limited' || this.reason === 'unreachable'
  }
}

const codes: Record<ServiceReason, FaultCode> = {
  refused: 'unprocessable',
  rate_limited: 'too_many_requests',
  blocked: 'not_configured',
  unreachable: 'unavailable',
}

/** As whoever asked for it is told; `own` has the codes of the reasons that only this service has. */
export function faultOfService<OwnReason extends string>(
  { reason, message, retryAfterSeconds, isPassing }: ServiceError<OwnReason>,
  own: Record<OwnReason, FaultCode>,
): Fault {
  const code = { ...codes, ...own }[reason]
  return new Fault(code, message, isPassing ? { retryAfterSeconds: passedOn(retryAfterSeconds) } : {})
}
