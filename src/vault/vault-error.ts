export type VaultReason =
  /** The given or stored master key is missing, weak, or kept unsafely: the process must not start. */
  | 'bad_master_key'
  /** A stored data key does not open under this master key. */
  | 'wrong_master_key'
  /** A scope, record or field name that has no place in the additional data: a bug of the caller. */
  | 'bad_name'
  /** Wrong key, context, version or bytes; which of them is never said. */
  | 'cannot_open'

export class VaultError extends Error {
  readonly reason: VaultReason

  constructor(reason: VaultReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'VaultError'
    this.reason = reason
  }
}
