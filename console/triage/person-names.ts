import { useAsk } from '../api/ask.ts'
import { type Pair, valuesOf } from '../app/address/address.ts'
import type { NameOf } from '../ui/forms/filter-bar.tsx'

/** The names of assignees in the address. People are asked for only where one stands there by number. */
export function useAssigneeNames(pairs: readonly Pair[]): NameOf {
  const enabled = valuesOf(pairs, 'assignee').some((value) => /^[0-9]/.test(value))
  const { data } = useAsk('listPeople', {}, { enabled, staleTime: 60_000 })
  return (field, value) => {
    if (field.key !== 'assignee') return undefined
    if (value === 'none') return 'nobody'
    return data?.people.find(({ id }) => String(id) === value)?.name
  }
}
