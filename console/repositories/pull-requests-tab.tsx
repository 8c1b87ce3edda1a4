import { usePages } from '../api/ask.ts'
import { usePathTo } from '../app/deployment.ts'
import { Button } from '../ui/button.tsx'
import { Foreign } from '../ui/foreign.tsx'
import { Link } from '../ui/link.tsx'
import { Ago } from '../ui/marks.tsx'
import { Card } from '../ui/page.tsx'
import { Part } from '../ui/states.tsx'

export function PullRequestsTab({ repositoryId }: { repositoryId: number }) {
  const to = usePathTo()
  const pages = usePages('listScans', { query: { repositoryId, kind: 'SCAN_KIND_PULL_REQUEST', pageSize: 100 } })
  return (
    <Card title="Pull requests that were scanned">
      <Part of={pages}>
        {(data) => {
          const scans = data.pages.flatMap((page) => page.scans)
          const newest = [...Map.groupBy(scans, (scan) => scan.pullRequest).values()].map((group) => ({
            last: group[0]!,
            scans: group.length,
          }))
          if (newest.length === 0) return <p className="muted">No scan of a pull request yet.</p>
          return (
            <table className="table">
              <thead>
                <tr>
                  <th scope="col">Pull request</th>
                  <th scope="col">Into</th>
                  <th scope="col">Commit</th>
                  <th scope="col" className="end">
                    Scans
                  </th>
                  <th scope="col">Last scan</th>
                </tr>
              </thead>
              <tbody>
                {newest.map(({ last, scans: count }) => (
                  <tr key={last.pullRequest}>
                    <td>
                      <Link to={to(`repositories/${repositoryId}/pull-requests/${last.pullRequest}`)}>
                        #{last.pullRequest}
                      </Link>
                    </td>
                    <td>
                      <Foreign text={last.baseRef} mono />
                    </td>
                    <td className="mono">{last.commit.slice(0, 10)}</td>
                    <td className="end num">{count}</td>
                    <td>
                      <Ago at={last.performedAt} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }}
      </Part>
      {pages.hasNextPage && <Button onClick={() => void pages.fetchNextPage()}>Older ones</Button>}
    </Card>
  )
}
