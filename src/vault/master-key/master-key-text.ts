import { createHash } from 'node:crypto'
import { VaultError } from '../vault-error.ts'

export const masterKeyBytes = 32

const recipe = 'Make one with: openssl rand -base64 32'

/**
 * Reads a master key from its text, base64 or base64url. The messages name `where` the text came from and never quote it.
 * Every refusal below is one that random bytes meet with a chance of less than one in a thousand million.
 */
export function parseMasterKey(text: string, where: string): Buffer {
  const trimmed = text.trim()
  const refuse = (why: string) => new VaultError('bad_master_key', `${where} ${why}. ${recipe}`)
  if (trimmed === '') throw refuse('is empty')
  if (!/^([A-Za-z0-9+/]+|[A-Za-z0-9_-]+)={0,2}$/.test(trimmed)) throw refuse('is not base64')
  const key = Buffer.from(trimmed, 'base64')
  if (key.length !== masterKeyBytes) {
    throw refuse(`holds ${key.length} bytes where exactly ${masterKeyBytes} are needed`)
  }
  const weakness = weaknessOf(key, trimmed)
  if (weakness) throw refuse(`is not random: ${weakness}`)
  return key
}

function weaknessOf(key: Buffer, text: string): string | undefined {
  if (isProgression(key)) return 'its bytes follow one another in even steps'
  if (hasPeriod(key)) return 'it repeats itself'
  if (longestRun(key) >= 8) return 'a short value was padded'
  if (new Set(key).size < 16) return 'it has too few different bytes'
  if (key.every((byte) => (byte >= 0x20 && byte < 0x7f) || (byte >= 9 && byte <= 13))) return 'it is text'
  if (!/[a-z]/.test(text) || !/[A-Z]/.test(text)) return 'it was typed, not made'
  if (wellKnown.has(key.toString('hex'))) return 'it is a published value'
  return undefined
}

function isProgression(key: Buffer): boolean {
  const step = (key[1]! - key[0]!) & 0xff
  return key.every((byte, at) => at === 0 || ((byte - key[at - 1]!) & 0xff) === step)
}

function hasPeriod(key: Buffer): boolean {
  for (let period = 1; period <= 16; period++) {
    if (key.every((byte, at) => at < period || byte === key[at - period])) return true
  }
  return false
}

function longestRun(key: Buffer): number {
  let longest = 0
  let run = 0
  key.forEach((byte, at) => {
    run = at > 0 && byte === key[at - 1] ? run + 1 : 1
    longest = Math.max(longest, run)
  })
  return longest
}

const phrases =
  'admin changeit changeme default demo dev development example gatehouse hello key letmein master masterkey password ' +
  'password123 passw0rd qwerty root secret secretkey supersecret test testing your-secret-key 123456 12345678'

// NIST SP 800-38A F.1.5, the AES-256 example key.
const exampleKey = '603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4'

/** SHA-256 of a password is the usual way to get 32 bytes out of one, so those of the usual passwords are refused too. */
const wellKnown = new Set([
  exampleKey,
  ...['', ...phrases.split(' ')].map((phrase) => createHash('sha256').update(phrase).digest('hex')),
])
