type HostReason =
  /** Our credential is refused: revoked, expired or wrong. */
  | 'unauthorized'
  /** It understood, and does not let us. */
  | 'forbidden'
  /** What we asked for is not there, or not for us to see. */
  | 'missing'
  /** It does not take what we sent. */
  | 'refused'
  | 'rate_limited'
  /** The address rules keep us from it. */
  | 'blocked'
  /** No answer, or one that no code host gives. Whether it did what it was asked to is not known. */
  | 'unreachable'

/** The message is ours: nothing that the other side said is repeated, since it may repeat secrets. */
export class HostError extends Error {
  readonly reason: HostReason
  readonly retryAfterSeconds: number | undefined

  constructor(reason: HostReason, message: string, retryAfterSeconds?: number) {
    super(message)
    this.name = 'HostError'
    this.reason = reason
    this.retryAfterSeconds = retryAfterSeconds
  }

  /** Another try may help. */
  get isPassing(): boolean {
    return this.reason === 'rate_limited' || this.reason === 'unreachable'
  }
}
