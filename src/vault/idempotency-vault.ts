import { createHash } from 'node:crypto'
import { open, seal } from './seal.ts'

const keyVersion = '1'

/**
 * Seals what is kept for repeated requests. Its key is there before the first request: it is used inside transactions,
 * where no key may first have to be fetched. Rows live for 24 hours, so it needs no versions.
 */
export function createIdempotencyVault(key: () => Buffer) {
  function contextOf(text: string) {
    return { scope: 'instance', record: createHash('sha256').update(text).digest('hex'), field: 'result', keyVersion }
  }

  return {
    seal(plaintext: string, context: string): Buffer {
      return Buffer.from(JSON.stringify(seal(key(), plaintext, contextOf(context))))
    },
    open(sealed: Buffer, context: string): string {
      return open(key(), JSON.parse(sealed.toString('utf8')), contextOf(context)).toString('utf8')
    },
  }
}
