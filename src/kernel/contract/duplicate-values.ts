import type { FieldError } from './fault.ts'

/** One error for each value that stands in the list before, pointing to the later place. */
export function duplicateErrors(
  values: readonly (string | number)[],
  pointer: (index: number) => string,
): FieldError[] {
  const seen = new Map<string | number, number>()
  const errors: FieldError[] = []
  values.forEach((value, index) => {
    const first = seen.get(value)
    if (first === undefined) seen.set(value, index)
    else errors.push({ pointer: pointer(index), detail: `'${value}' is already in ${pointer(first)}` })
  })
  return errors
}
