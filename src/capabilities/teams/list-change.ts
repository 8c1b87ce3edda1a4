import { duplicateErrors } from '../../kernel/contract/duplicate-values.ts'
import type { FieldError } from '../../kernel/contract/fault.ts'
import type { UpdateAction } from './contract.ts'

type Entry = { id: number; action?: UpdateAction | undefined }

/** What a list of a team update asks for: a new whole, or changes to single entries. */
export type ListChange<E extends Entry> =
  | { kind: 'none' }
  | { kind: 'replace'; entries: E[] }
  | { kind: 'each'; add: E[]; update: E[]; remove: E[] }

/** Reads such a list. An id may stand in it once, and either every entry has an action or none has. */
export function readListChange<E extends Entry>(
  entries: readonly E[] | undefined,
  at: { list: string; id: string },
  errors: FieldError[],
): ListChange<E> {
  if (!entries) return { kind: 'none' }
  const ids = entries.map((entry) => entry.id)
  errors.push(...duplicateErrors(ids, (index) => `${at.list}/${index}/${at.id}`))
  const without = entries.findIndex((entry) => entry.action === undefined)
  const withAction = entries.findIndex((entry) => entry.action !== undefined)
  if (withAction < 0) return { kind: 'replace', entries: [...entries] }
  if (without >= 0) {
    errors.push({
      pointer: `${at.list}/${without}`,
      detail: `has no action but ${at.list}/${withAction} has one; give all entries an action, or none`,
    })
  }
  const having = (action: UpdateAction) => entries.filter((entry) => entry.action === action)
  return {
    kind: 'each',
    add: having('UPDATE_ACTION_ADD'),
    update: having('UPDATE_ACTION_UPDATE'),
    remove: having('UPDATE_ACTION_REMOVE'),
  }
}
