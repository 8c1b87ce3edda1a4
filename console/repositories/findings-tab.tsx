import { usePages } from '../api/ask.ts'
import { formatSearch } from '../app/address/address.ts'
import { usePathTo } from '../app/deployment.ts'
import { onBranches, openOnBranches } from '../findings/filter.ts'
import { FindingTable } from '../findings/list/finding-table.tsx'
import { Link } from '../ui/link.tsx'
import { Card } from '../ui/page.tsx'
import { Part } from '../ui/states.tsx'
import { NoAdvisories } from '../vulnerabilities/no-advisories.tsx'

export function FindingsTab({ repository }: { repository: string }) {
  const to = usePathTo()
  const filter = { repositories: [repository], ...openOnBranches }
  const asked = usePages(
    'searchFindings',
    { body: { filter, sort: { by: 'severity' }, pageSize: 25 } },
    { where: 'body' },
  )
  return (
    <>
      <NoAdvisories />
      <Card
        title="The most severe that are open"
        aside={
          <Link to={to(`findings${formatSearch([['repo', repository], ...onBranches])}`)}>
            All findings of the repository
          </Link>
        }
      >
        <Part of={asked} lines={6}>
          {({ pages: [{ findings } = { findings: [] }] }) =>
            findings.length === 0 ? <p className="muted">Nothing is open.</p> : <FindingTable findings={findings} />
          }
        </Part>
      </Card>
    </>
  )
}
