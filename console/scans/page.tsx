import { usePages } from '../api/ask.ts'
import type { Query } from '../api/contracts.ts'
import { readFilter } from '../app/address/filter.ts'
import { go, goSearch, usePlace } from '../app/address/location.ts'
import { useMay, usePathTo } from '../app/deployment.ts'
import { Button } from '../ui/button.tsx'
import { type FacetSource, FilterBar } from '../ui/forms/filter-bar.tsx'
import { Icon } from '../ui/icons.tsx'
import { ListHead, PagedList } from '../ui/lists/paged-list.tsx'
import { useTitle } from '../ui/page.tsx'
import { Empty } from '../ui/states.tsx'
import { scanColumns } from './columns.tsx'
import { scanFields } from './filter.ts'
import { NothingYet } from './nothing-yet.tsx'

const facets: FacetSource = (field, _typed, children) => {
  const values = 'values' in field ? field.values : []
  return children({ options: values.map(({ word, label }) => ({ value: word, label })), busy: false })
}

export default function ScansPage() {
  useTitle('Scans')
  const to = usePathTo()
  const { pairs } = usePlace()
  const { why } = useMay('scans:write')
  const { filter, lost } = readFilter(scanFields, pairs)
  const pages = usePages('listScans', { query: { ...(filter as Query<'listScans'>), pageSize: 100 } })
  const rows = pages.data?.pages.flatMap((page) => page.scans) ?? []
  return (
    <>
      <ListHead title="Scans" filters={<FilterBar fields={scanFields} pairs={pairs} lost={lost} facet={facets} />}>
        <Button look="primary" className="push" why={why} onClick={() => go(to('scans/upload'))}>
          <Icon name="up_from" /> Upload
        </Button>
      </ListHead>
      <PagedList
        label="Scans"
        pages={pages}
        rows={rows}
        columns={scanColumns}
        keyOf={(row) => String(row.id)}
        to={(row) => to(`scans/${row.id}`)}
        empty={
          Object.keys(filter).length > 0 ? (
            <Empty title="Nothing matches">
              <Button onClick={() => goSearch([])}>Clear filters</Button>
            </Empty>
          ) : (
            <NothingYet
              title="No scans yet"
              about="Send lockfiles, bills of materials or SARIF logs, from a terminal or from CI."
            />
          )
        }
      />
    </>
  )
}
