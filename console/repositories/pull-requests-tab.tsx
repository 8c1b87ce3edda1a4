import { usePages } from '../api/ask.ts'
import { firstOf, formatSearch, withValues } from '../app/address/address.ts'
import { goSearch, usePlace } from '../app/address/location.ts'
import { usePathTo } from '../app/deployment.ts'
import { Button } from '../ui/button.tsx'
import { Check } from '../ui/forms/field.tsx'
import { Link } from '../ui/link.tsx'
import { Card } from '../ui/page.tsx'
import { Part } from '../ui/states.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { Ago, Tag } from '../ui/text/marks.tsx'

export function PullRequestsTab({ repositoryId, repository }: { repositoryId: number; repository: string }) {
  const to = usePathTo()
  const { pairs } = usePlace()
  const blocked = firstOf(pairs, 'blocked') === 'yes'
  const pages = usePages('listPullRequests', {
    query: { repositoryId, pageSize: 100, ...(blocked && { blocked: 'true' as const }) },
  })
  return (
    <Card
      title="Pull requests that were scanned"
      aside={
        <Check
          label="Only blocked ones"
          checked={blocked}
          onChange={() => goSearch(withValues(pairs, 'blocked', blocked ? [] : ['yes']))}
        />
      }
    >
      <Part of={pages}>
        {(data) => {
          const all = data.pages.flatMap((page) => page.pullRequests)
          if (all.length === 0)
            return <p className="muted">{blocked ? 'None is blocked.' : 'No scan of a pull request yet.'}</p>
          return (
            <div className="table-wrap">
              <table className="table">
                <thead>
                  <tr>
                    <th scope="col">Pull request</th>
                    <th scope="col">Verdict</th>
                    <th scope="col">Into</th>
                    <th scope="col">Commit</th>
                    <th scope="col" className="end">
                      Open findings
                    </th>
                    <th scope="col" className="end">
                      Scans
                    </th>
                    <th scope="col">Last scan</th>
                  </tr>
                </thead>
                <tbody>
                  {all.map((each) => (
                    <tr key={each.pullRequest}>
                      <td>
                        <Link to={to(`repositories/${repositoryId}/pull-requests/${each.pullRequest}`)}>
                          #{each.pullRequest}
                        </Link>
                      </td>
                      <td>
                        {each.blocked ? <Tag tone="bad">Blocked</Tag> : <span className="muted">Not blocked</span>}
                      </td>
                      <td>
                        <Foreign text={each.baseRef} mono />
                      </td>
                      <td className="mono">{each.commit.slice(0, 10)}</td>
                      <td className="end num">
                        <Link
                          to={to(
                            `findings${formatSearch([
                              ['repo', repository],
                              ['pr', String(each.pullRequest)],
                            ])}`,
                          )}
                        >
                          {each.openFindings.toLocaleString('en')}
                        </Link>
                      </td>
                      <td className="end num">{each.scans}</td>
                      <td>
                        <Ago at={each.lastScanAt} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }}
      </Part>
      {pages.hasNextPage && <Button onClick={() => void pages.fetchNextPage()}>Older ones</Button>}
    </Card>
  )
}
