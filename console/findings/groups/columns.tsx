import type { Finding } from '../../../src/capabilities/findings/finding.ts'
import type { FindingGroup } from '../../../src/capabilities/findings/search/group-contract.ts'
import { Icon } from '../../ui/icons.tsx'
import { Link } from '../../ui/link.tsx'
import type { Column } from '../../ui/lists/grid.tsx'
import { plainly } from '../../ui/text/foreign-text.ts'
import { Ago, Severity, State } from '../../ui/text/marks.tsx'
import { count, plural } from '../../ui/text/words.ts'
import type { Line } from './lines.ts'

type GroupLine = Extract<Line, { kind: 'group' }>

/** The columns of findings, with groups told in the same places; and how many each group has, as a link to them. */
export function groupColumns(
  columns: readonly Column<Finding>[],
  { linkTo, onToggle }: { linkTo: (group: FindingGroup) => string; onToggle: (word: string) => void },
): Column<Line>[] {
  const told: Record<string, (line: GroupLine) => React.ReactNode> = {
    severity: ({ group }) => <Severity level={group.worstSeverity} />,
    finding: (line) => <GroupName line={line} onToggle={onToggle} />,
    repository: ({ group }) => (
      <span className="muted">{plural(group.repositories, 'repository', 'repositories')}</span>
    ),
    state: ({ group }) => <GroupState group={group} />,
    raised: ({ group }) => <Ago at={group.oldestRaisedAt} />,
  }
  const sorts: Record<string, string> = { severity: 'severity', raised: 'oldest' }
  const all = columns.map(({ id, cell, sort: _, ...column }): Column<Line> => {
    const sort = sorts[id]
    return {
      ...column,
      // Between the number and the margin there is little room on a telephone.
      ...(id === 'finding' && { width: 'minmax(96px, 5fr)' }),
      ...((id === 'state' || id === 'repository') && { from: 480 }),
      // Of these a group has nothing to tell: the names of groups need the room more.
      ...((id === 'place' || id === 'kind' || id === 'assignee') && { from: 1_400 }),
      id,
      ...(sort && { sort }),
      cell: (line) => {
        if (line.kind === 'group') return told[id]?.(line) ?? null
        if (line.kind === 'finding')
          return id === 'finding' ? <span className="within">{cell(line.finding)}</span> : cell(line.finding)
        return id === 'finding' ? (
          <span className="within muted">Show more: {plural(line.left, 'finding')} left</span>
        ) : null
      },
    }
  })
  const at = all.findIndex((column) => column.id === 'finding') + 1
  const total: Column<Line> = {
    id: 'total',
    label: 'Findings',
    width: '76px',
    narrow: '56px',
    end: true,
    sort: 'count',
    cell: (line) =>
      line.kind === 'group' && (
        <Link to={linkTo(line.group)} tabIndex={-1} aria-label={plural(line.group.total, 'finding')}>
          <b>{count(line.group.total)}</b>
        </Link>
      ),
  }
  return [...all.slice(0, at), total, ...all.slice(at)]
}

function GroupName({ line, onToggle }: { line: GroupLine; onToggle: (word: string) => void }) {
  const { value, label } = line.group
  const name = plainly(value) || 'No rule'
  // Titles of vulnerabilities begin with what is said already.
  const more = label?.startsWith(`${value} `) ? label.slice(value.length + 1) : label
  return (
    <>
      <button
        type="button"
        className="caret"
        tabIndex={-1}
        aria-expanded={line.expanded}
        aria-label={`Findings of ${name.slice(0, 80)}`}
        onClick={() => onToggle(line.word)}
      >
        <Icon name={line.expanded ? 'down' : 'right'} size={12} />
      </button>
      <b>
        <bdi>{name}</bdi>
      </b>{' '}
      {more && more !== value && <bdi className="muted">{plainly(more)}</bdi>}
    </>
  )
}

function GroupState({ group }: { group: FindingGroup }) {
  const states = Object.entries(group.byTriageState).filter(([, number]) => number > 0)
  if (states.length === 1) return <State state={states[0]![0]} />
  return <span className="muted">{plural(states.length, 'state')}</span>
}
