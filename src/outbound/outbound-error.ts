export type OutboundReason =
  /** The setting itself is wrong: an allow-list entry, the broker's address. */
  | 'bad_setting'
  | 'bad_url'
  /** A header or body that may not or cannot be sent. */
  | 'bad_request'
  | 'blocked_address'
  | 'dns'
  | 'connect'
  | 'tls'
  /** The network broker could not be reached or refused the tunnel. */
  | 'broker'
  /** The connection was made and then broke. */
  | 'disconnected'
  | 'timeout'
  | 'too_large'
  | 'bad_redirect'
  | 'too_many_redirects'
  | 'bad_response'
  | 'circuit_open'
  /** The caller's own signal. */
  | 'aborted'

/**
 * The one error of this folder. Its message names an origin at most: paths and queries of webhooks hold secrets as often as
 * headers do. It carries no cause, since errors of the HTTP parser and of sockets carry the bytes they were looking at.
 */
export class OutboundError extends Error {
  readonly reason: OutboundReason
  /** For the log: an error code of the system, or the address that was refused. */
  readonly detail: string | undefined

  constructor(reason: OutboundReason, message: string, detail?: string) {
    super(message)
    this.name = 'OutboundError'
    this.reason = reason
    this.detail = detail
  }
}
