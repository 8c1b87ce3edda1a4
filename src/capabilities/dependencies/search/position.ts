import { Fault } from '../../../kernel/contract/fault.ts'
import type { ListPosition } from '../../inventory/public.ts'

const beforeAll: ListPosition = { repositoryId: 0, versionId: 0, path: '', nth: 0 }

export function writePosition({ repositoryId, versionId, path, nth }: ListPosition): string {
  return Buffer.from(JSON.stringify([repositoryId, versionId, path, nth])).toString('base64url')
}

/** The position tells nothing and opens nothing: whoever makes one up only starts elsewhere in what they may see. */
export function readPosition(cursor: string): ListPosition {
  if (cursor === '') return beforeAll
  const parts = parse(Buffer.from(cursor, 'base64url').toString())
  if (!Array.isArray(parts) || parts.length !== 4) throw notOurs()
  const [repositoryId, versionId, path, nth] = parts as unknown[]
  if (!isId(repositoryId) || !isId(versionId) || !isText(path) || !isId(nth) || nth > 2_147_483_647) throw notOurs()
  return { repositoryId, versionId, path, nth }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isId(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0') && value.isWellFormed()
}

function notOurs(): Fault {
  return new Fault('validation_failed', 'The cursor was not issued by this server.', {
    errors: [{ pointer: '/cursor', detail: 'must be the cursor of the page before' }],
  })
}
