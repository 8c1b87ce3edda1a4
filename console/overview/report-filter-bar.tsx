import type { Pair } from '../app/address/address.ts'
import { type Field, readFilter } from '../app/address/filter.ts'
import { findingFacets } from '../findings/list/facets.tsx'
import { FilterBar } from '../ui/forms/filter-bar.tsx'

/** What an overview or report can be narrowed down to. */
const fields: readonly Field[] = [
  { key: 'team', label: 'Team', wire: 'teams', kind: 'texts', pinned: true },
  { key: 'repo', label: 'Repository', wire: 'repositories', kind: 'texts', pinned: true },
  { key: 'tag', label: 'Tag', wire: 'tags', kind: 'texts', pinned: true },
  { key: 'archived', label: 'Archived', wire: 'archived', kind: 'flag' },
]
const reserved = ['period', 'since', 'until', 'by']

export function ReportFilterBar({ pairs }: { pairs: readonly Pair[] }) {
  const { filter, lost } = readFilter(fields, pairs, reserved)
  return (
    <div className="no-print">
      <FilterBar fields={fields} pairs={pairs} lost={lost} facet={findingFacets(filter)} />
    </div>
  )
}
