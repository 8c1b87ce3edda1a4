import { Fault } from '../../../kernel/contract/fault.ts'
import type { PackagePosition } from '../../inventory/public.ts'

/** From what the seal of the cursor gave back: undefined where it is not one of ours for this question. */
export function readPackageCursor(written: unknown): PackagePosition {
  if (written === undefined) {
    const errors = [{ pointer: '/cursor', detail: 'is not one that this search answered with' }]
    throw new Fault('validation_failed', 'The cursor belongs to another question, or was edited.', { errors })
  }
  const [rank, name, ecosystem] = written as [number, string, string]
  return { rank, name, ecosystem }
}
