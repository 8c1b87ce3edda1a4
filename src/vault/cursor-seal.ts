import { createHmac, timingSafeEqual } from 'node:crypto'
import { open, seal } from './seal.ts'

export type CursorSeal = ReturnType<typeof createCursorSeal>

const tagBytes = 16
const hidden = { scope: 'instance', record: 'cursor', field: 'position', keyVersion: '1' }

/**
 * Cursors that only continue what they were made for: a position, and a tag over it and over what it is bound to
 * (deployment, filter, order). One that was edited, or made for another question, is not read.
 */
export function createCursorSeal(key: () => Buffer) {
  function tagOf(binding: unknown, position: Buffer): Buffer {
    const hmac = createHmac('sha256', key()).update(JSON.stringify(binding)).update('\0').update(position)
    return hmac.digest().subarray(0, tagBytes)
  }

  function write(binding: unknown, position: unknown): string {
    const bytes = Buffer.from(JSON.stringify(position))
    return Buffer.concat([tagOf(binding, bytes), bytes]).toString('base64url')
  }

  /** The same for a position that whoever gets the cursor may not know: that of something they do not see. */
  function writeHidden(binding: unknown, position: unknown): string {
    return write(['hidden', binding], seal(hidingKey(), JSON.stringify(position), hidden))
  }

  const hidingKey = () => createHmac('sha256', key()).update('hidden positions').digest()

  /** Undefined where the cursor is not one of ours for this binding. */
  function read(binding: unknown, cursor: string): unknown {
    const bytes = Buffer.from(cursor, 'base64url')
    // Node passes over what is not base64url; a cursor is only what it was when it was written.
    if (bytes.length <= tagBytes || bytes.toString('base64url') !== cursor) return undefined
    const position = bytes.subarray(tagBytes)
    const isTagged = (bound: unknown) => timingSafeEqual(bytes.subarray(0, tagBytes), tagOf(bound, position))
    const isHidden = isTagged(['hidden', binding])
    if (!isHidden && !isTagged(binding)) return undefined
    const written = JSON.parse(position.toString('utf8'))
    return isHidden ? JSON.parse(open(hidingKey(), written, hidden).toString('utf8')) : written
  }

  return { write, writeHidden, read }
}
