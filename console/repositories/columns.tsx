import type { Answer } from '../api/contracts.ts'
import { formatSearch, type Pair } from '../app/address/address.ts'
import { usePathTo } from '../app/deployment.ts'
import { onBranches } from '../findings/filter.ts'
import { stillBlocked } from '../scans/pull-request-filter.tsx'
import { Link } from '../ui/link.tsx'
import type { Column } from '../ui/lists/grid.tsx'
import { plainly } from '../ui/text/foreign-text.ts'
import { Ago, Tag } from '../ui/text/marks.tsx'

export type RepositoryRow = Answer<'searchRepositories'>['repositories'][number]

const severities = ['critical', 'high', 'medium', 'low', 'info'] as const

type CountProps = { value: number; path: string; pairs?: Pair[]; label: string; tabIndex?: number }

/** A number that opens what it counts; nothing is muted. */
export function Count({ value, path, pairs, label, tabIndex }: CountProps) {
  const to = usePathTo()
  if (value === 0) return <span className="muted">0</span>
  return (
    <Link
      to={to(path) + formatSearch(pairs ?? [])}
      tabIndex={tabIndex}
      aria-label={`${value.toLocaleString('en')} ${label}`}
    >
      {value.toLocaleString('en')}
    </Link>
  )
}

const openColumn = (severity: (typeof severities)[number], from: number): Column<RepositoryRow> => ({
  id: severity,
  label: severity.charAt(0).toUpperCase() + severity.slice(1),
  width: '72px',
  end: true,
  from,
  // Most critical ones first, then most high ones, and so on: one order for all five.
  ...(severity === 'critical' && { sort: 'severity' }),
  cell: (row) => (
    <Count
      tabIndex={-1}
      value={row.openBySeverity[`SEVERITY_${severity.toUpperCase()}` as keyof RepositoryRow['openBySeverity']]}
      path="findings"
      pairs={[['sev', severity], ['repo', row.name], ...onBranches]}
      label={`${severity} findings of ${plainly(row.name)}`}
    />
  ),
})

export const repositoryColumns: readonly Column<RepositoryRow>[] = [
  {
    id: 'name',
    label: 'Repository',
    width: 'minmax(160px, 3fr)',
    sort: 'name',
    cell: (row) => <bdi className="strong">{plainly(row.name)}</bdi>,
  },
  {
    id: 'marks',
    label: 'Marks',
    width: '116px',
    from: 560,
    cell: (row) => (
      <span className="row tight">
        {row.archived ? <Tag>Archived</Tag> : row.publiclyExposed && <Tag tone="warn">Exposed</Tag>}
        {row.kind === 'REPOSITORY_KIND_PACKAGE_CLIENTS' && <Tag>Firewall clients</Tag>}
      </span>
    ),
  },
  {
    id: 'open',
    label: 'Open',
    width: '72px',
    end: true,
    sort: 'open',
    cell: (row) => (
      <Count
        tabIndex={-1}
        value={row.open}
        path="findings"
        pairs={[['repo', row.name], ...onBranches]}
        label={`open findings of ${plainly(row.name)}`}
      />
    ),
  },
  openColumn('critical', 420),
  openColumn('high', 520),
  openColumn('medium', 900),
  openColumn('low', 980),
  {
    id: 'blocked',
    label: 'Blocked',
    width: '80px',
    end: true,
    from: 620,
    sort: 'blocked',
    cell: (row) => (
      <Count
        tabIndex={-1}
        value={row.blockedPullRequests}
        path={`repositories/${row.id}/pull-requests`}
        pairs={stillBlocked}
        label={`blocked pull requests of ${plainly(row.name)}`}
      />
    ),
  },
  {
    id: 'scanned',
    label: 'Last scan',
    width: '104px',
    from: 480,
    sort: 'lastScan',
    cell: (row) => (row.lastScan ? <Ago at={row.lastScan.at} /> : <Tag tone="warn">never</Tag>),
  },
  {
    id: 'dependencies',
    label: 'Dependencies',
    width: '112px',
    end: true,
    from: 760,
    sort: 'dependencies',
    cell: (row) => (
      <Count
        tabIndex={-1}
        value={row.dependencies}
        path={`repositories/${row.id}/dependencies`}
        label={`dependencies of ${plainly(row.name)}`}
      />
    ),
  },
  {
    id: 'teams',
    label: 'Teams',
    width: 'minmax(90px, 1fr)',
    from: 1_100,
    cell: (row) => <bdi className="muted">{plainly(row.teams.map((team) => team.name).join(', '))}</bdi>,
  },
  {
    id: 'tags',
    label: 'Tags',
    width: 'minmax(90px, 1fr)',
    from: 1_240,
    cell: (row) => <bdi className="muted">{plainly(row.tags.join(', '))}</bdi>,
  },
]
