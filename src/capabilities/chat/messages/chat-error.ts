import type { Fault } from '../../../kernel/contract/fault.ts'
import { faultOfService, ServiceError } from '../../../outbound/service-error.ts'

/** Our access is gone: uninstalled or revoked at the chat service. */
type OwnReason = 'revoked'

/** Of what the other side said, its message repeats the error code at most. */
export class ChatError extends ServiceError<OwnReason> {}

export function faultFor(error: ChatError): Fault {
  return faultOfService(error, { revoked: 'conflict' })
}
