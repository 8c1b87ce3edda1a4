import { Fault } from '../../../kernel/contract/fault.ts'
import { passedOn } from '../../../outbound/client/retry-after.ts'

export type ChatReason =
  /** Our access is gone: uninstalled or revoked at the chat service. */
  | 'revoked'
  | 'refused'
  | 'rate_limited'
  /** The address rules keep us from it. */
  | 'blocked'
  /** No answer, or one that no chat service gives. */
  | 'unreachable'

/** The message is ours: nothing the other side said is repeated but its error code, since it may repeat secrets. */
export class ChatError extends Error {
  readonly reason: ChatReason
  /** Where the service says so. */
  readonly retryAfterSeconds: number | undefined

  constructor(reason: ChatReason, message: string, retryAfterSeconds?: number) {
    super(message)
    this.name = 'ChatError'
    this.reason = reason
    this.retryAfterSeconds = retryAfterSeconds
  }
}

const codes = {
  revoked: 'conflict',
  refused: 'unprocessable',
  rate_limited: 'too_many_requests',
  blocked: 'not_configured',
  unreachable: 'unavailable',
} as const

export function faultFor({ reason, message, retryAfterSeconds }: ChatError): Fault {
  const isTransient = reason === 'rate_limited' || reason === 'unreachable'
  return new Fault(codes[reason], message, isTransient ? { retryAfterSeconds: passedOn(retryAfterSeconds) } : {})
}
