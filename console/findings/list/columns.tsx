import type { Finding } from '../../../src/capabilities/findings/finding.ts'
import type { Column } from '../../ui/lists/grid.tsx'
import { plainly } from '../../ui/text/foreign-text.ts'
import { Ago, Due, Severity, State } from '../../ui/text/marks.tsx'
import { label, wordOf } from '../../ui/text/words.ts'

/** Rows are poor in elements: cells cut what is too long, and a text that could deceive is named by number. */
export const findingColumns: readonly Column<Finding>[] = [
  {
    id: 'severity',
    label: 'Severity',
    width: '84px',
    narrow: '20px',
    sort: 'severity',
    cell: (row) => <Severity level={row.severity} />,
  },
  { id: 'finding', label: 'Finding', width: 'minmax(160px, 3fr)', cell: (row) => <bdi>{plainly(row.title)}</bdi> },
  {
    id: 'repository',
    label: 'Repository',
    width: 'minmax(150px, 1.3fr)',
    narrow: '78px',
    sort: 'repository',
    isName: true,
    cell: (row) => <RepositoryCell name={row.repository} />,
  },
  {
    id: 'place',
    label: 'File',
    width: 'minmax(120px, 1.6fr)',
    sort: 'path',
    isName: true,
    from: 1_000,
    cell: (row) => (
      <bdi className="mono muted">{plainly(row.path) + (row.startLine > 0 ? `:${row.startLine}` : '')}</bdi>
    ),
  },
  {
    id: 'branch',
    label: 'Branch',
    width: 'minmax(70px, 0.6fr)',
    from: 1_240,
    cell: (row) => <bdi className="muted">{row.pullRequest > 0 ? `#${row.pullRequest}` : plainly(row.ref)}</bdi>,
  },
  {
    id: 'rule',
    label: 'Rule',
    width: 'minmax(100px, 1fr)',
    sort: 'rule',
    isName: true,
    from: 1500,
    cell: (row) => <bdi className="mono muted">{plainly(row.ruleId)}</bdi>,
  },
  {
    id: 'kind',
    label: 'Kind',
    width: '96px',
    from: 1080,
    cell: (row) => <span className="muted">{label(wordOf(row.product))}</span>,
  },
  {
    id: 'assignee',
    label: 'Assignee',
    width: 'minmax(80px, 0.8fr)',
    from: 1180,
    cell: (row) => row.assignee && <bdi>{plainly(row.assignee.name)}</bdi>,
  },
  { id: 'state', label: 'State', width: '106px', narrow: '14px', cell: (row) => <State state={row.triageState} /> },
  {
    id: 'raised',
    label: 'Raised',
    width: '92px',
    sort: 'raisedAt',
    from: 720,
    cell: (row) => <Ago at={row.raisedAt} />,
  },
  {
    id: 'due',
    label: 'Due',
    width: '92px',
    from: 1280,
    cell: (row) => row.dueAt && <Due at={row.dueAt} />,
  },
  {
    id: 'changed',
    label: 'Changed',
    width: '92px',
    sort: 'stateChangedAt',
    from: 1360,
    cell: (row) => <Ago at={row.stateChangedAt} />,
  },
]

/** On a telephone the group is left out: it is often that of all rows, and leaves no room for what differs. */
function RepositoryCell({ name }: { name: string }) {
  const at = name.lastIndexOf('/') + 1
  return (
    <bdi>
      <span className="group-of">{plainly(name.slice(0, at))}</span>
      {plainly(name.slice(at))}
    </bdi>
  )
}
