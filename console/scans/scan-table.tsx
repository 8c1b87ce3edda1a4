import type { Scan } from '../../src/capabilities/scans/contract.ts'
import { usePathTo } from '../app/deployment.ts'
import { Link } from '../ui/link.tsx'
import { Table } from '../ui/lists/table.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { plainly } from '../ui/text/foreign-text.ts'
import { Ago, Tag } from '../ui/text/marks.tsx'

/** Where a scan looked: a branch, or a pull request. */
export function ScanSubject({ scan, tabIndex }: { scan: Scan; tabIndex?: number }) {
  const to = usePathTo()
  if (scan.pullRequest > 0)
    return (
      <Link to={to(`repositories/${scan.repositoryId}/pull-requests/${scan.pullRequest}`)} tabIndex={tabIndex}>
        #{scan.pullRequest}
      </Link>
    )
  return <bdi className="mono">{plainly(scan.ref)}</bdi>
}

export function ScanTable({ scans }: { scans: readonly Scan[] }) {
  const to = usePathTo()
  return (
    <Table
      label="Scans"
      rows={scans}
      keyOf={(scan) => scan.id}
      columns={[
        {
          label: 'Scan',
          cell: (scan) => (
            <>
              <Link to={to(`scans/${scan.id}`)}>#{scan.id}</Link> {scan.isInventory && <Tag>inventory</Tag>}{' '}
              {scan.blocked && <Tag tone="bad">Blocked</Tag>}
            </>
          ),
        },
        { label: 'Of', cell: (scan) => <ScanSubject scan={scan} /> },
        { label: 'Commit', cell: (scan) => <span className="mono">{scan.commit.slice(0, 10)}</span> },
        { label: 'Tool', cell: (scan) => <Foreign text={scan.tool} /> },
        { label: 'Files', end: true, cell: (scan) => scan.fileCount },
        { label: 'Findings in logs', end: true, cell: (scan) => scan.findingCount },
        { label: 'Problems', end: true, cell: (scan) => scan.problemCount },
        { label: 'When', cell: (scan) => <Ago at={scan.performedAt} /> },
      ]}
    />
  )
}
