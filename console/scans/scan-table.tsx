import type { Scan } from '../../src/capabilities/scans/contract.ts'
import { usePathTo } from '../app/deployment.ts'
import { Link } from '../ui/link.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { plainly } from '../ui/text/foreign-text.ts'
import { Ago, Tag } from '../ui/text/marks.tsx'

/** Where a scan looked: a branch, or a pull request. */
export function ScanSubject({ scan }: { scan: Scan }) {
  const to = usePathTo()
  if (scan.pullRequest > 0)
    return (
      <Link to={to(`repositories/${scan.repositoryId}/pull-requests/${scan.pullRequest}`)}>#{scan.pullRequest}</Link>
    )
  return <bdi className="mono">{plainly(scan.ref)}</bdi>
}

export function ScanTable({ scans }: { scans: readonly Scan[] }) {
  const to = usePathTo()
  return (
    <div className="table-wrap">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Scan</th>
            <th scope="col">Of</th>
            <th scope="col">Commit</th>
            <th scope="col">Tool</th>
            <th scope="col" className="end">
              Files
            </th>
            <th scope="col" className="end">
              Findings
            </th>
            <th scope="col" className="end">
              Problems
            </th>
            <th scope="col">When</th>
          </tr>
        </thead>
        <tbody>
          {scans.map((scan) => (
            <tr key={scan.id}>
              <td>
                <Link to={to(`scans/${scan.id}`)}>#{scan.id}</Link> {scan.isInventory && <Tag>inventory</Tag>}{' '}
                {scan.blocked && <Tag tone="bad">Blocked</Tag>}
              </td>
              <td>
                <ScanSubject scan={scan} />
              </td>
              <td className="mono">{scan.commit.slice(0, 10)}</td>
              <td>
                <Foreign text={scan.tool} />
              </td>
              <td className="end num">{scan.fileCount}</td>
              <td className="end num">{scan.findingCount}</td>
              <td className="end num">{scan.problemCount}</td>
              <td>
                <Ago at={scan.performedAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
