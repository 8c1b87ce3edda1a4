import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto'
import { VaultError } from './vault-error.ts'

export type SealContext = {
  /** A deployment id, or 'instance' for what belongs to no deployment. */
  scope: string
  /** What the value belongs to, unique in its scope: the id of a row, with its kind where ids of kinds may meet. */
  record: string
  field: string
  keyVersion: string
}

/** All base64, as they go over the wire. */
export type Sealed = { nonce: string; ciphertext: string; tag: string }

const nonceBytes = 12
const tagBytes = 16

/**
 * The additional authenticated data (NIST SP 800-38D): the UTF-8 bytes of
 *
 *     gatehouse/v1/<scope>/<record>/<field>/<keyVersion>
 *
 * with no terminator. No part may hold a slash or be empty, so two different contexts never spell the same bytes.
 */
export function additionalData({ scope, record, field, keyVersion }: SealContext): Buffer {
  const parts = [scope, record, field, keyVersion]
  for (const part of parts) {
    if (!/^[A-Za-z0-9_.:-]+$/.test(part)) {
      throw new VaultError(
        'bad_name',
        'Scope, record, field and key version are made of letters, digits and _ . : - only.',
      )
    }
  }
  return Buffer.from(`gatehouse/v1/${parts.join('/')}`, 'utf8')
}

export function seal(key: Buffer | KeyObject, plaintext: string | Uint8Array, context: SealContext): Sealed {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
  cipher.setAAD(additionalData(context))
  const ciphertext = Buffer.concat([cipher.update(plaintextBytes(plaintext)), cipher.final()])
  return {
    nonce: nonce.toString('base64'),
    ciphertext: ciphertext.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
  }
}

export function open(key: Buffer | KeyObject, sealed: Sealed, context: SealContext): Buffer {
  const aad = additionalData(context)
  try {
    const nonce = decode(sealed.nonce)
    const tag = decode(sealed.tag)
    const ciphertext = decode(sealed.ciphertext)
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
    decipher.setAAD(aad)
    decipher.setAuthTag(tag)
    return Buffer.concat([decipher.update(ciphertext), decipher.final()])
  } catch {
    throw cannotOpen()
  }
}

/** One error without a cause for whatever is wrong: the difference would help only who tampers. */
export function cannotOpen(): VaultError {
  return new VaultError('cannot_open', 'The sealed value cannot be opened.')
}

/** Node's decoder skips what is not base64; here one value has one spelling. */
function decode(text: string): Buffer {
  const decoded = Buffer.from(text, 'base64')
  if (decoded.toString('base64') !== text) throw cannotOpen()
  return decoded
}

function plaintextBytes(plaintext: string | Uint8Array): Uint8Array {
  return typeof plaintext === 'string' ? Buffer.from(plaintext, 'utf8') : plaintext
}
