import type { FoundVulnerability } from '../../src/capabilities/vulnerabilities/contract.ts'
import { usePages, useReadOn } from '../api/ask.ts'
import { firstOf, pathPart } from '../app/address.ts'
import { usePathTo } from '../app/deployment.ts'
import { usePlace } from '../app/location.ts'
import { plainly } from '../ui/foreign-text.ts'
import type { Column } from '../ui/grid.tsx'
import { Severity } from '../ui/marks.tsx'
import { useTitle } from '../ui/page.tsx'
import { ListHead, PagedList } from '../ui/paged-list.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { Empty } from '../ui/states.tsx'
import { bySeverity } from './order.ts'

const columns: Column<FoundVulnerability>[] = [
  { id: 'severity', label: 'Severity', width: '84px', cell: (row) => <Severity level={row.severity} /> },
  {
    id: 'id',
    label: 'Vulnerability',
    width: 'minmax(150px, 1fr)',
    cell: (row) => <bdi className="mono">{plainly(row.id)}</bdi>,
  },
  {
    id: 'title',
    label: 'Title',
    width: 'minmax(140px, 3fr)',
    from: 560,
    cell: (row) => <bdi>{plainly(row.title)}</bdi>,
  },
  { id: 'repositories', label: 'Repositories', width: '96px', end: true, cell: (row) => row.repositoryCount },
  { id: 'findings', label: 'Findings', width: '76px', end: true, from: 480, cell: (row) => row.findingCount },
]

export default function VulnerabilitiesPage() {
  useTitle('Vulnerabilities')
  const to = usePathTo()
  const { pairs } = usePlace()
  const text = (firstOf(pairs, 'text') ?? '').toLowerCase()
  const pages = usePages('listVulnerabilities', { query: { pageSize: 100 } })
  const all = pages.data?.pages.flatMap((page) => page.vulnerabilities) ?? []
  // Sorted and searched here, so all of it has to be here: there are as many as advisories hit, not as advisories.
  useReadOn(pages)
  const rows = bySeverity(all.filter((each) => !text || `${each.id} ${each.title}`.toLowerCase().includes(text)))
  return (
    <>
      <ListHead title="Vulnerabilities" total={pages.data && !pages.hasNextPage ? rows.length : undefined}>
        <span className="push row tight">
          <SearchField label="Search ids and titles" name="text" pairs={pairs} />
        </span>
      </ListHead>
      <PagedList
        label="Vulnerabilities"
        pages={pages}
        rows={rows}
        columns={columns}
        total={rows.length}
        keyOf={(row) => row.id}
        to={(row) => to(`vulnerabilities/${pathPart(row.id)}`)}
        empty={
          text ? (
            <Empty title="Nothing matches" />
          ) : (
            <Empty title="No vulnerability was found">
              <p>
                No advisory names a dependency of the repositories you see. Under Settings, System says how current the
                advisories are.
              </p>
            </Empty>
          )
        }
      />
    </>
  )
}
