import type { Fault } from '../../../kernel/contract/fault.ts'
import { faultOfService, ServiceError } from '../../../outbound/service-error.ts'

type OwnReason =
  /** Our credentials are refused: revoked, expired or wrong. */
  | 'unauthorized'
  /** What we asked for is not there, or not for us to see. */
  | 'missing'

/** Of what the other side said, its message repeats names of fields at most. */
export class TrackerError extends ServiceError<OwnReason> {}

export function faultFor(error: TrackerError): Fault {
  return faultOfService(error, { unauthorized: 'conflict', missing: 'unprocessable' })
}
