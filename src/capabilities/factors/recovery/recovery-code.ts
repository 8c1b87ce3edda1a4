import { createHash, randomBytes } from 'node:crypto'
import { base32 } from '../totp/base32.ts'

export const codesMade = 10
const bytes = 10

/** 80 random bits, in groups that can be read aloud. */
export function newRecoveryCode(): string {
  return base32(randomBytes(bytes)).toLowerCase().match(/.{4}/g)!.join('-')
}

/** What is kept of it: 80 random bits need no slow hash. However it was typed. */
export function hashOfCode(personId: number, code: string): Buffer {
  const plain = code.toLowerCase().replace(/[^a-z2-7]/g, '')
  return createHash('sha256').update(`${personId} ${plain}`).digest()
}
