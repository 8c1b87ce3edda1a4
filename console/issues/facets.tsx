import type { ReactNode } from 'react'
import { useAsk } from '../api/ask.ts'
import type { Body } from '../api/contracts.ts'
import type { Field, Filter } from '../app/address/filter.ts'
import { useSettled } from '../app/keyboard/palette-hits.ts'
import type { Facet, FacetSource } from '../ui/forms/filter-bar.tsx'
import { isCounted, repositoryNames } from './filter.ts'

type Props = { field: Field; filter: Filter; typed: string; children: (facet: Facet) => ReactNode }

/** The choices of a field, with how many issues each would leave where that is counted. */
export function issueFacets(filter: Filter): FacetSource {
  return (field, typed, children) => {
    const Source = field.wire === repositoryNames ? Repositories : field.wire === 'assignees' ? People : Counted
    const rest = Object.fromEntries(Object.entries(filter).filter(([name]) => name !== field.wire))
    return (
      <Source field={field} filter={rest} typed={typed}>
        {children}
      </Source>
    )
  }
}

const countedBy: Record<string, 'byTriageState' | 'bySeverity'> = {
  triageStates: 'byTriageState',
  severities: 'bySeverity',
}

function Counted({ field, filter, children }: Props) {
  const by = isCounted(filter) ? countedBy[field.wire] : undefined
  const counts = useAsk(
    'countIssues',
    { body: { filter: filter as NonNullable<Body<'countIssues'>['filter']> } },
    { enabled: by !== undefined },
  )
  const values = 'values' in field ? field.values : []
  const options = values.map((value) => ({
    value: value.word,
    label: value.label,
    count: by && (counts.data?.[by] as Record<string, number> | undefined)?.[value.wire],
  }))
  return children({ options, busy: counts.isFetching })
}

function Repositories({ typed, children }: Props) {
  const name = useSettled(typed)
  const { data, isFetching } = useAsk('listRepositories', { query: { pageSize: 50, ...(name && { name }) } })
  const options = (data?.repositories ?? []).map((each) => ({ value: each.name, label: each.name }))
  return children({ options, busy: isFetching || name !== typed })
}

function People({ typed, children }: Props) {
  const { data, isFetching } = useAsk('listPeople', {}, { staleTime: 60_000 })
  const people = (data?.people ?? []).map(({ id, name }) => ({ value: String(id), label: name }))
  const options = [{ value: 'me', label: 'Me' }, { value: 'none', label: 'Nobody' }, ...people]
  const wanted = typed.toLowerCase()
  return children({ options: options.filter(({ label }) => label.toLowerCase().includes(wanted)), busy: isFetching })
}
