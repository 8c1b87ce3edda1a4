import { createHash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const prefix = 'gth_'
const randomLength = 30
const checksumLength = 6

/** `gth_`, 30 random base62 characters (178 bits), CRC32 of them in base62: scanners can tell a real one without asking. */
export function makeToken(): string {
  let random = ''
  for (let i = 0; i < randomLength; i++) random += digits[randomInt(digits.length)]
  return prefix + random + checksum(random)
}

export function looksLikeToken(text: string): boolean {
  return text.startsWith(prefix)
}

/** False for a typing error or an invention, without a look into the database. */
export function hasValidChecksum(token: string): boolean {
  if (!/^gth_[0-9A-Za-z]{36}$/.test(token)) return false
  const random = token.slice(prefix.length, prefix.length + randomLength)
  return token.slice(prefix.length + randomLength) === checksum(random)
}

export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** Enough to recognise a token in a list, not enough to use it. */
export function hintOf(token: string): string {
  return `${prefix}…${token.slice(-4)}`
}

function checksum(random: string): string {
  let rest = crc32(random)
  let text = ''
  for (let i = 0; i < checksumLength; i++) {
    text = digits[rest % digits.length] + text
    rest = Math.floor(rest / digits.length)
  }
  return text
}
