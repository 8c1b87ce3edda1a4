import type { VulnerabilityMatch } from '../../src/capabilities/vulnerabilities/search/search-contract.ts'
import { usePages } from '../api/ask.ts'
import type { Body } from '../api/contracts.ts'
import { firstOf, pathPart, withValues } from '../app/address/address.ts'
import { readFilter } from '../app/address/filter.ts'
import { goSearch, usePlace } from '../app/address/location.ts'
import { usePathTo } from '../app/deployment.ts'
import { NotVisible, useSeesNoRepository } from '../repositories/not-visible.tsx'
import { Button } from '../ui/button.tsx'
import { FilterBar } from '../ui/forms/filter-bar.tsx'
import { SearchField } from '../ui/forms/search-field.tsx'
import { Link } from '../ui/link.tsx'
import type { Column } from '../ui/lists/grid.tsx'
import { ListHead, PagedList } from '../ui/lists/paged-list.tsx'
import { useTitle } from '../ui/page.tsx'
import { Empty } from '../ui/states.tsx'
import { plainly } from '../ui/text/foreign-text.ts'
import { Ago, Severity, Tag } from '../ui/text/marks.tsx'
import { readSort, reserved, vulnerabilityFields, wireFilter, writeSort } from './filter.ts'
import { NoAdvisories, useNoAdvisories } from './no-advisories.tsx'

function NothingFound() {
  const to = usePathTo()
  const seesNone = useSeesNoRepository()
  const noAdvisories = useNoAdvisories()
  if (seesNone) return <NotVisible />
  if (noAdvisories) return <NoAdvisories />
  if (seesNone === undefined || noAdvisories === undefined) return null
  return (
    <Empty title="No vulnerability is open">
      <p>
        No advisory names a dependency of the repositories you see, or all that they name is ignored.{' '}
        <Link to={to('settings/system')}>See how current the advisories are.</Link>
      </p>
    </Empty>
  )
}

const columns: Column<VulnerabilityMatch>[] = [
  {
    id: 'severity',
    label: 'Severity',
    width: '88px',
    narrow: '20px',
    sort: 'severity',
    cell: (row) => <Severity level={row.severity} />,
  },
  {
    id: 'id',
    label: 'Vulnerability',
    width: 'minmax(150px, 1fr)',
    narrow: '112px',
    sort: 'id',
    cell: (row) => <bdi className="mono">{plainly(row.id)}</bdi>,
  },
  {
    id: 'title',
    label: 'Title',
    width: 'minmax(140px, 3fr)',
    cell: (row) => (
      <>
        {row.exploited && <Tag tone="bad">Exploited</Tag>} <bdi>{plainly(row.title)}</bdi>
      </>
    ),
  },
  {
    id: 'packages',
    label: 'Packages',
    width: 'minmax(110px, 1fr)',
    from: 860,
    cell: (row) => <bdi className="mono">{plainly(row.packages.map((each) => each.name).join(', '))}</bdi>,
  },
  {
    id: 'published',
    label: 'Published',
    width: '104px',
    sort: 'published',
    from: 1000,
    cell: (row) => <Ago at={row.publishedAt} />,
  },
  {
    id: 'repositories',
    label: 'Repositories',
    width: '108px',
    sort: 'repositories',
    end: true,
    cell: (row) => row.repositoryCount,
  },
  {
    id: 'findings',
    label: 'Findings',
    width: '88px',
    sort: 'findings',
    end: true,
    from: 480,
    cell: (row) => row.findingCount,
  },
]

export default function VulnerabilitiesPage() {
  useTitle('Vulnerabilities')
  const to = usePathTo()
  const { pairs } = usePlace()
  const text = firstOf(pairs, 'text') ?? ''
  const { filter, lost } = readFilter(vulnerabilityFields, pairs, reserved)
  const wire = wireFilter(filter, text.slice(0, 200), Date.now())
  const sort = readSort(firstOf(pairs, 'sort'))
  const body = { filter: wire as NonNullable<Body<'searchVulnerabilities'>['filter']>, sort, pageSize: 100 }
  const pages = usePages('searchVulnerabilities', { body }, { where: 'body' })
  const rows = pages.data?.pages.flatMap((page) => page.vulnerabilities) ?? []
  const total = pages.data?.pages[0]?.total
  return (
    <>
      <ListHead title="Vulnerabilities" total={total}>
        <FilterBar
          fields={vulnerabilityFields}
          pairs={pairs}
          lost={lost}
          facet={(field, _typed, children) =>
            children({
              options: 'values' in field ? field.values.map(({ word, label }) => ({ value: word, label })) : [],
              busy: false,
            })
          }
        />
        <span className="push row tight">
          <SearchField label="Search ids and titles" name="text" pairs={pairs} />
        </span>
      </ListHead>
      <PagedList
        label="Vulnerabilities"
        pages={pages}
        rows={rows}
        columns={columns}
        total={total}
        sort={sort}
        onSort={(next) => goSearch(withValues(pairs, 'sort', writeSort(next)))}
        keyOf={(row) => row.id}
        to={(row) => to(`vulnerabilities/${pathPart(row.id)}`)}
        empty={
          Object.keys(wire).length > 0 ? (
            <Empty title="Nothing matches">
              <Button onClick={() => goSearch([])}>Clear filters</Button>
            </Empty>
          ) : (
            <NothingFound />
          )
        }
      />
    </>
  )
}
