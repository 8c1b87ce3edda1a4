import { createHmac, hash } from 'node:crypto'

/**
 * What tells equal findings (one rule, file and message) apart: hashes of the code.
 *
 * | context     | meaning                                                                               |
 * |-------------|---------------------------------------------------------------------------------------|
 * | ''          | nothing is known of the code                                                          |
 * | '='         | the code itself is in the fingerprint                                                 |
 * | '=AROUND'   | and what is around it is known: the lines near it, or the version of a dependency     |
 * | 'CODE.'     | the code is known, and is not in the fingerprint                                      |
 * | 'CODE.AROUND' | and what is around it                                                               |
 */
export type Content = { code: string; around: string }

/** Under these names `gatehouse upload` sends hashes of the code that a log points at and does not have. */
export const sentNames = { code: 'gatehouseCode/v1', around: 'gatehouseContext/v1' } as const

export function isSentName(name: string): boolean {
  return name === sentNames.code || name === sentNames.around
}

/** Short, and of one length, whatever a log has. With a key nobody without it can guess the text. */
export function contentHash(text: string, key?: Uint8Array): string {
  const plain = text.replace(/\s+/g, '')
  if (plain === '') return ''
  const digest = key ? createHmac('sha256', key).update(plain).digest('base64url') : hash('sha256', plain, 'base64url')
  return digest.slice(0, 12)
}

export function writeContext({ code, around }: Content): string {
  if (code === '') return ''
  return code === '=' ? `=${around}` : `${code}.${around}`
}

export function readContext(context: string): Content {
  if (context === '') return { code: '', around: '' }
  if (context.startsWith('=')) return { code: '=', around: context.slice(1) }
  const dot = context.indexOf('.')
  return { code: context.slice(0, dot), around: context.slice(dot + 1) }
}
