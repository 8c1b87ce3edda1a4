import type { Issue } from '../../src/capabilities/issues/issue.ts'
import type { Column } from '../ui/lists/grid.tsx'
import { plainly } from '../ui/text/foreign-text.ts'
import { Ago, Severity, State } from '../ui/text/marks.tsx'

export const issueColumns: readonly Column<Issue>[] = [
  {
    id: 'severity',
    label: 'Severity',
    width: '84px',
    narrow: '20px',
    sort: 'severity',
    cell: (row) => <Severity level={row.severity} />,
  },
  { id: 'issue', label: 'Issue', width: 'minmax(160px, 3fr)', cell: (row) => <bdi>{plainly(row.title)}</bdi> },
  {
    id: 'workflow',
    label: 'Workflow',
    width: 'minmax(110px, 1.2fr)',
    from: 900,
    cell: (row) => <bdi className="mono muted">{plainly(row.workflowIds[0] ?? row.filePaths[0] ?? '')}</bdi>,
  },
  {
    id: 'seen',
    label: 'Seen',
    width: '92px',
    sort: 'lastDetectedAt',
    from: 720,
    cell: (row) =>
      row.detectionState === 'DETECTION_STATE_DETECTED' ? (
        <Ago at={row.lastDetectedAt} />
      ) : (
        <span className="muted">gone</span>
      ),
  },
  { id: 'state', label: 'State', width: '118px', narrow: '14px', cell: (row) => <State state={row.triageState} /> },
  {
    id: 'created',
    label: 'Created',
    width: '92px',
    sort: 'createdAt',
    from: 820,
    cell: (row) => <Ago at={row.createdAt} />,
  },
]
