import { hkdfSync, type KeyObject } from 'node:crypto'
import { open, seal } from '../seal.ts'
import { VaultError } from '../vault-error.ts'

export type WrappedKey = { version: number; wrapped: string }
type Master = Buffer | KeyObject

/** A data key as it is stored: sealed under a key derived from the master key for its scope and version. */
export function wrapKey(master: Master, scope: string, version: number, key: Buffer): string {
  const { nonce, ciphertext, tag } = seal(wrappingKey(master, scope, version), key, contextOf(scope, version))
  return [nonce, ciphertext, tag].join('.')
}

export function unwrapKey(master: Master, scope: string, { version, wrapped }: WrappedKey): Buffer {
  const [nonce = '', ciphertext = '', tag = ''] = wrapped.split('.')
  try {
    return open(wrappingKey(master, scope, version), { nonce, ciphertext, tag }, contextOf(scope, version))
  } catch {
    throw wrongMasterKey(`Data key ${version} of scope ${scope} does not open under this master key.`)
  }
}

export function wrongMasterKey(what: string): VaultError {
  return new VaultError(
    'wrong_master_key',
    `${what} Check that GATEHOUSE_KEY, or the key file in the data folder, is the one this database was set up with, or ` +
      'the new one if it was changed since.',
  )
}

/** HKDF (RFC 5869) with SHA-256, no salt: the master key is random already. */
export function deriveKey(master: Master, label: string): Buffer {
  return Buffer.from(hkdfSync('sha256', master, '', `gatehouse/v1/${label}`, 32))
}

/** By which a master key is known without being told. */
export function masterKeyId(master: Master): string {
  return deriveKey(master, 'master-key-id').toString('base64url')
}

function wrappingKey(master: Master, scope: string, version: number): Buffer {
  return deriveKey(master, `wrapping-key/${scope}/${version}`)
}

function contextOf(scope: string, version: number) {
  return { scope, record: 'data-key', field: 'key', keyVersion: String(version) }
}
