import { ServiceError } from '../../../outbound/service-error.ts'

type HostReason =
  /** Our credential is refused: revoked, expired or wrong. */
  | 'unauthorized'
  /** It understood, and does not let us. */
  | 'forbidden'
  /** What we asked for is not there, or not for us to see. */
  | 'missing'

export class HostError extends ServiceError<HostReason> {}
