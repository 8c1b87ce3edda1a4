import { useState } from 'react'
import { usePages } from '../api/ask.ts'
import type { Body } from '../api/contracts.ts'
import { firstOf, withValues } from '../app/address/address.ts'
import { readFilter } from '../app/address/filter.ts'
import { goSearch, usePlace } from '../app/address/location.ts'
import { usePathTo } from '../app/deployment.ts'
import { NothingYet } from '../scans/nothing-yet.tsx'
import { Button } from '../ui/button.tsx'
import { FilterBar } from '../ui/forms/filter-bar.tsx'
import { SearchField } from '../ui/forms/search-field.tsx'
import { ListHead, PagedList } from '../ui/lists/paged-list.tsx'
import { useTitle } from '../ui/page.tsx'
import { Empty } from '../ui/states.tsx'
import { RepositoryBulk } from './bulk.tsx'
import { repositoryColumns } from './columns.tsx'
import { repositoryFacets } from './facets.tsx'
import { readSort, repositoryFields, reserved, writeSort } from './filter.ts'

type Wanted = NonNullable<Body<'searchRepositories'>['filter']>

export default function RepositoriesPage() {
  useTitle('Repositories')
  const to = usePathTo()
  const { pairs } = usePlace()
  const { filter, lost } = readFilter(repositoryFields, pairs, reserved)
  const sort = readSort(firstOf(pairs, 'sort'))
  const body = { filter: filter as Wanted, sort, pageSize: 100 }
  const pages = usePages('searchRepositories', { body }, { where: 'body' })
  const rows = pages.data?.pages.flatMap((page) => page.repositories) ?? []
  const total = pages.data?.pages[0]?.total
  const isFiltered = Object.keys(filter).length > 0
  const [selection, setSelection] = useState<ReadonlySet<string>>(new Set())
  const chosen = rows.filter((row) => selection.has(String(row.id)))
  return (
    <>
      <ListHead
        title="Repositories"
        total={total}
        filters={
          <FilterBar
            fields={repositoryFields.filter((field) => field.key !== 'text')}
            pairs={pairs}
            lost={lost}
            facet={repositoryFacets}
          />
        }
      >
        <span className="push row tight">
          <SearchField label="Search names" name="text" pairs={pairs} />
        </span>
      </ListHead>
      <PagedList
        label="Repositories"
        pages={pages}
        rows={rows}
        total={total}
        columns={repositoryColumns}
        keyOf={(row) => String(row.id)}
        to={(row) => to(`repositories/${row.id}`)}
        sort={sort}
        onSort={(next) => goSearch(withValues(pairs, 'sort', writeSort(next)))}
        empty={
          isFiltered ? (
            <NothingMatches />
          ) : (
            <NothingYet title="No repositories yet" about="The first scan of a repository makes it." />
          )
        }
        selection={selection}
        onSelect={setSelection}
      />
      {chosen.length > 0 && <RepositoryBulk rows={chosen} onClear={() => setSelection(new Set())} />}
    </>
  )
}

function NothingMatches() {
  return (
    <Empty title="Nothing matches">
      <Button onClick={() => goSearch([])}>Clear filters</Button>
    </Empty>
  )
}
