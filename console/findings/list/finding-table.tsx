import type { Finding } from '../../../src/capabilities/findings/finding.ts'
import { usePathTo } from '../../app/deployment.ts'
import { Link } from '../../ui/link.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { Foreign } from '../../ui/text/foreign.tsx'
import { Ago, Severity, State } from '../../ui/text/marks.tsx'

/** A few findings, as part of another page. */
export function FindingTable({ findings }: { findings: readonly Finding[] }) {
  const to = usePathTo()
  return (
    <Table
      label="Findings"
      rows={findings}
      keyOf={(finding) => finding.id}
      columns={[
        { label: 'Severity', cell: (finding) => <Severity level={finding.severity} /> },
        {
          label: 'Finding',
          cell: (finding) => (
            <Link to={to(`findings/${finding.id}`)}>
              <Foreign text={finding.title.slice(0, 300)} />
            </Link>
          ),
        },
        {
          label: 'Where',
          cell: (finding) => (
            <Foreign text={finding.path + (finding.startLine > 0 ? `:${finding.startLine}` : '')} mono />
          ),
        },
        { label: 'State', cell: (finding) => <State state={finding.triageState} /> },
        { label: 'Raised', cell: (finding) => <Ago at={finding.raisedAt} /> },
      ]}
    />
  )
}
