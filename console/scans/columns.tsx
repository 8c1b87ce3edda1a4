import type { Scan } from '../../src/capabilities/scans/contract.ts'
import type { Column } from '../ui/lists/grid.tsx'
import { plainly } from '../ui/text/foreign-text.ts'
import { Ago, Tag } from '../ui/text/marks.tsx'
import { ScanSubject } from './scan-table.tsx'
import { sourceName } from './source.tsx'

export const scanColumns: readonly Column<Scan>[] = [
  { id: 'id', label: 'Scan', width: '70px', cell: (row) => <span className="mono">#{row.id}</span> },
  {
    id: 'repository',
    label: 'Repository',
    width: 'minmax(140px, 2fr)',
    cell: (row) => <bdi>{plainly(row.repository)}</bdi>,
  },
  { id: 'of', label: 'Ref', width: 'minmax(90px, 1fr)', cell: (row) => <ScanSubject scan={row} tabIndex={-1} /> },
  {
    id: 'verdict',
    label: 'Verdict',
    width: '84px',
    from: 460,
    cell: (row) => (row.blocked ? <Tag tone="bad">Blocked</Tag> : null),
  },
  { id: 'when', label: 'When', width: '96px', cell: (row) => <Ago at={row.performedAt} /> },
  {
    id: 'commit',
    label: 'Commit',
    width: '96px',
    from: 900,
    cell: (row) => <span className="mono muted">{row.commit.slice(0, 10)}</span>,
  },
  {
    id: 'tool',
    label: 'Tool',
    width: 'minmax(90px, 1fr)',
    from: 760,
    cell: (row) => <bdi className="muted">{plainly(row.tool)}</bdi>,
  },
  {
    id: 'source',
    label: 'Source',
    width: 'minmax(90px, 1fr)',
    from: 1000,
    cell: (row) => <span className="muted">{sourceName(row.source)}</span>,
  },
  { id: 'files', label: 'Files', width: '60px', end: true, from: 640, cell: (row) => row.fileCount },
  { id: 'findings', label: 'Findings in logs', width: '120px', end: true, from: 560, cell: (row) => row.findingCount },
  {
    id: 'problems',
    label: 'Problems',
    width: '80px',
    end: true,
    from: 640,
    cell: (row) => (row.problemCount > 0 ? <Tag tone="warn">{String(row.problemCount)}</Tag> : 0),
  },
]
