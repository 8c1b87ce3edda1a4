import { Fault } from './fault.ts'

/** What opens cursors (`vault/cursor-seal.ts`): undefined where one was not made for the binding. */
type CursorReader = { read(binding: unknown, cursor: string): unknown }

/** What a cursor is refused with. */
type Refusal = { detail: string; boundTo: string }

const ofAnotherQuestion: Refusal = { detail: 'is not one that this search answered with', boundTo: 'question' }

/** What the cursor of the page before was written with; undefined where the first page is asked for. */
export function readSearchCursor<Written>(
  cursors: CursorReader,
  binding: unknown,
  cursor: string | undefined,
  { detail, boundTo }: Refusal = ofAnotherQuestion,
): Written | undefined {
  if (!cursor) return undefined
  const written = cursors.read(binding, cursor)
  if (written !== undefined) return written as Written
  const errors = [{ pointer: '/cursor', detail }]
  throw new Fault('validation_failed', `The cursor belongs to another ${boundTo}, or was edited.`, { errors })
}
