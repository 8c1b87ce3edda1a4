import { Fault } from '../../../kernel/contract/fault.ts'
import { passedOn } from '../../../outbound/client/retry-after.ts'

export type TrackerReason =
  /** Our credentials are refused: revoked, expired or wrong. */
  | 'unauthorized'
  /** It understood, and does not want to. */
  | 'refused'
  /** What we asked for is not there, or not for us to see. */
  | 'missing'
  | 'rate_limited'
  /** The address rules keep us from it. */
  | 'blocked'
  /** No answer, or one that no tracker gives. Whether it did what it was asked to is not known. */
  | 'unreachable'

/** The message is ours: nothing the other side said is repeated but names of fields, since it may repeat secrets. */
export class TrackerError extends Error {
  readonly reason: TrackerReason
  /** Where the tracker says so. */
  readonly retryAfterSeconds: number | undefined

  constructor(reason: TrackerReason, message: string, retryAfterSeconds?: number) {
    super(message)
    this.name = 'TrackerError'
    this.reason = reason
    this.retryAfterSeconds = retryAfterSeconds
  }

  /** Another try may help. */
  get isPassing(): boolean {
    return this.reason === 'rate_limited' || this.reason === 'unreachable'
  }
}

const codes = {
  unauthorized: 'conflict',
  refused: 'unprocessable',
  missing: 'unprocessable',
  rate_limited: 'too_many_requests',
  blocked: 'not_configured',
  unreachable: 'unavailable',
} as const

export function faultFor(error: TrackerError): Fault {
  const { reason, message, retryAfterSeconds } = error
  return new Fault(codes[reason], message, error.isPassing ? { retryAfterSeconds: passedOn(retryAfterSeconds) } : {})
}
