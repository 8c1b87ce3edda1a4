import type { ReactNode } from 'react'
import { useAsk } from '../../api/ask.ts'
import type { Body } from '../../api/contracts.ts'
import type { Field, Filter } from '../../app/address/filter.ts'
import { useSettled } from '../../app/keyboard/palette-hits.ts'
import type { Facet, FacetSource } from '../../ui/forms/filter-bar.tsx'

type Asked = Body<'facetFindings'>
type Props = { field: Field; filter: Filter; typed: string; children: (facet: Facet) => ReactNode }

type Countable = Exclude<Asked['fields'][number], 'dependencies'>

/** Fields whose values the server counts: all it can but packages, which are looked up by name. The counts of a field ignore its own filter. */
const counted: Record<Countable, true> = {
  triageStates: true,
  triageReasons: true,
  severities: true,
  products: true,
  confidences: true,
  reachabilities: true,
  validities: true,
  categories: true,
  decidedBy: true,
  assignees: true,
  repositories: true,
  tags: true,
  teams: true,
  refs: true,
  sources: true,
  ruleIds: true,
  cwes: true,
  owasp: true,
  vulnerabilityIds: true,
  paths: true,
}

export function findingFacets(filter: Filter): FacetSource {
  return (field, typed, children) => {
    const Source = field.wire in counted ? Counted : Known
    return (
      <Source field={field} filter={filter} typed={typed}>
        {children}
      </Source>
    )
  }
}

function Counted({ field, filter, typed, children }: Props) {
  const wanted = field.kind === 'texts' ? typed : ''
  const contains = useSettled(wanted)
  const body = { filter, fields: [field.wire], limit: 50, ...(contains && { contains }) } as Asked
  const { data, isFetching } = useAsk('facetFindings', { body })
  const busy = isFetching || contains !== wanted
  const found = data?.facets[0]?.values ?? []
  if ('values' in field) {
    const countOf = (wire: string) => found.find((each) => each.value === wire)?.count ?? (data ? 0 : undefined)
    const options = field.values.map((each) => ({ value: each.word, label: each.label, count: countOf(each.wire) }))
    return children({ options, busy })
  }
  if (field.wire === 'assignees') return children({ options: personOptions(found, contains), busy })
  const blank = field.kind === 'texts' ? field.blank : undefined
  const options = found.map((each) => ({
    value: each.value,
    label: field.wire === 'teams' ? each.label : each.value || (blank ?? ''),
    count: each.count,
  }))
  return children({ options: options.filter((each) => each.value !== '' || blank), busy })
}

function Known({ field, children }: Props) {
  const values = 'values' in field ? field.values.map((each) => ({ value: each.word, label: each.label })) : []
  const flags = [
    { value: 'yes', label: 'Yes' },
    { value: 'no', label: 'No' },
  ]
  return children({ options: field.kind === 'flag' ? flags : values, busy: false })
}

/** Whoever asks comes first, by a word that means somebody else to others; then those who have some, and nobody. */
function personOptions(found: readonly { value: string; label: string; count: number }[], typed: string) {
  const people = found.map((each) => ({
    value: each.value,
    label: each.value === 'none' ? 'Nobody' : each.label,
    count: each.count,
  }))
  return typed ? people : [{ value: 'me', label: 'Me', count: undefined }, ...people]
}
