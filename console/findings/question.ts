import { useAsk } from '../api/ask.ts'
import type { Body } from '../api/contracts.ts'
import { firstOf, formatSearch, pathPart } from '../app/address/address.ts'
import { readFilter } from '../app/address/filter.ts'
import { go, usePlace } from '../app/address/location.ts'
import { usePathTo } from '../app/deployment.ts'
import { findingFields, reserved } from './filter.ts'
import { type FindingFilter, groupingOf } from './groups/lines.ts'

export type FindingSort = NonNullable<Body<'searchFindings'>['sort']>

/** The finding that is open; what asks for it in several places is asked once. */
export function useOpenFinding(id: string | undefined) {
  const params = { findingId: Number(id) }
  return useAsk('getFinding', { params }, { keep: false, enabled: id !== undefined })
}

/** What the address asks for, and how an item of it is opened. */
export function useQuestion(openId: string | undefined) {
  const to = usePathTo()
  const { pairs } = usePlace()
  const { filter, lost } = readFilter(findingFields, pairs, reserved)
  const wire = filter as FindingFilter
  const counts = useAsk('countFindings', { body: { filter: wire } })
  const opened = useOpenFinding(openId)
  const addressOf = (id?: string) => to(id ? `findings/${pathPart(id)}` : 'findings') + formatSearch(pairs)
  const open = (id?: string) => go(addressOf(id), { replace: Boolean(openId) })
  const sort = firstOf(pairs, 'sort')
  return {
    pairs,
    filter,
    wire,
    lost,
    counts,
    addressOf,
    open,
    openId,
    opened: opened.data?.data,
    sort,
    by: groupingOf(firstOf(pairs, 'group')),
  }
}

export type Question = ReturnType<typeof useQuestion>
