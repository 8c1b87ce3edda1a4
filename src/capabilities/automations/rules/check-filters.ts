import type { FieldError } from '../../../kernel/contract/fault.ts'
import { didYouMean } from '../../../kernel/text/did-you-mean.ts'
import { ruleFor } from './condition-types.ts'
import type { Condition, Filters } from './evaluate.ts'

/** Filters that could never mean what they say: a value that no subject has is a typing error in a security rule. */
export function filterErrors({ mode, conditions }: Filters): FieldError[] {
  const errors = conditions.flatMap((condition, at) => conditionErrors(condition, `/filters/conditions/${at}`))
  if (mode === 'MODE_ANY' && conditions.length === 0) {
    errors.push({ pointer: '/filters/conditions', detail: 'is empty, so no condition can hold; use MODE_ALL' })
  }
  return errors
}

function conditionErrors({ type, values }: Condition, pointer: string): FieldError[] {
  const { values: known, pattern } = ruleFor(type)
  return values.flatMap((value, at) => {
    const here = `${pointer}/values/${at}`
    if (known && !known.includes(value)) {
      const hint = didYouMean(value, known)
      return [{ pointer: here, detail: `must be one of ${known.join(', ')}${hint ? `; did you mean ${hint}?` : ''}` }]
    }
    if (pattern && !pattern.test(value)) return [{ pointer: here, detail: `is not a value of ${type}` }]
    return []
  })
}
