import type { PackageSummary } from '../../src/capabilities/dependencies/packages/package-contract.ts'
import { usePages } from '../api/ask.ts'
import { goSearch } from '../app/address/location.ts'
import { usePathTo } from '../app/deployment.ts'
import type { Column } from '../ui/lists/grid.tsx'
import { PagedList } from '../ui/lists/paged-list.tsx'
import { plainly } from '../ui/text/foreign-text.ts'
import { Severity, Tag } from '../ui/text/marks.tsx'
import { bounded } from '../ui/text/words.ts'
import type { ListProps } from './list-props.ts'
import { packagePath } from './package-path.ts'
import { type PackageSort, writeQuestion } from './question.ts'

/** Each package once, with what is used of it. */
export function PackageList({ question, filter, counts, empty }: ListProps) {
  const to = usePathTo()
  const { sort, vulnerable } = question
  const body = { dependencyFilter: filter, sort, pageSize: 100, ...(vulnerable && { vulnerable }) }
  const pages = usePages('searchPackages', { body }, { where: 'body' })
  const rows = pages.data?.pages.flatMap((page) => page.packages) ?? []
  return (
    <PagedList
      label="Packages"
      pages={pages}
      rows={rows}
      columns={columnsOf(pages.data?.pages.some((page) => page.atLeast) ?? false)}
      total={vulnerable || !counts ? undefined : Math.max(counts.packageCount, rows.length)}
      sort={sort}
      onSort={(next) => goSearch(writeQuestion({ ...question, sort: next as PackageSort }))}
      keyOf={(row) => `${row.ecosystem} ${row.name}`}
      to={(row) => to(packagePath(row))}
      empty={empty}
    />
  )
}

/** Where only the first repositories were counted, there may be more of each. */
const columnsOf = (atLeast: boolean): Column<PackageSummary>[] => [
  {
    id: 'package',
    label: 'Package',
    width: 'minmax(160px, 2fr)',
    sort: 'name',
    cell: (row) => <bdi className="mono">{plainly(row.name)}</bdi>,
  },
  { id: 'ecosystem', label: 'Ecosystem', width: '92px', from: 620, cell: (row) => row.ecosystem },
  {
    id: 'versions',
    label: 'Versions',
    width: 'minmax(110px, 2fr)',
    from: 480,
    cell: (row) => <bdi className="mono">{plainly(versionsTold(row))}</bdi>,
  },
  {
    id: 'vulnerable',
    label: 'Vulnerable',
    width: '96px',
    from: 760,
    cell: (row) => (row.severity ? <Severity level={row.severity} /> : null),
  },
  {
    id: 'verdict',
    label: 'Firewall',
    width: '96px',
    from: 900,
    cell: (row) =>
      row.verdict === null || row.verdict === 'allow' ? null : (
        <Tag tone={row.verdict === 'block' ? 'bad' : 'warn'}>{row.verdict}</Tag>
      ),
  },
  {
    id: 'repositories',
    label: 'Repositories',
    width: '112px',
    sort: 'repositories',
    end: true,
    cell: (row) => bounded({ total: row.repositoryCount, atLeast }),
  },
  {
    id: 'dependencies',
    label: 'Entries',
    width: '88px',
    sort: 'dependencies',
    end: true,
    from: 560,
    cell: (row) => bounded({ total: row.dependencyCount, atLeast }),
  },
]

function versionsTold({ versions, versionCount }: PackageSummary): string {
  const shown = versions.slice(0, 4).map(({ version }) => version || '?')
  const more = versionCount - shown.length
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '')
}
