import type { KeyRotation } from '../../vault/rotation/key-rotation.ts'
import type { CheckResult } from './machine-checks.ts'

const mostNamed = 10

export async function checkCredentials(keys: Pick<KeyRotation, 'findUnreadable'>): Promise<CheckResult> {
  const part = 'stored credentials'
  const unreadable = await keys.findUnreadable()
  if (unreadable.length === 0) return { part, state: 'ok', detail: 'all of them open' }
  const more = unreadable.length > mostNamed ? ` and ${unreadable.length - mostNamed} more` : ''
  return {
    part,
    state: 'problem',
    detail: `cannot be opened: ${unreadable.slice(0, mostNamed).join(', ')}${more}`,
    advice: 'Somebody changed them in the database. What needs them answers credential_unreadable. Enter them again.',
  }
}
