import { usePages } from '../api/ask.ts'
import { formatSearch } from '../app/address/address.ts'
import { usePathTo } from '../app/deployment.ts'
import { usePullRequestFilter } from '../scans/pull-request-filter.tsx'
import { VerdictMark } from '../scans/verdict-mark.tsx'
import { Button } from '../ui/button.tsx'
import { Link } from '../ui/link.tsx'
import { Table } from '../ui/lists/table.tsx'
import { Card } from '../ui/page.tsx'
import { Part } from '../ui/states.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { Ago } from '../ui/text/marks.tsx'

export function PullRequestsTab({ repositoryId, repository }: { repositoryId: number; repository: string }) {
  const to = usePathTo()
  const { query, isNarrow, checks } = usePullRequestFilter()
  const pages = usePages('listPullRequests', { query: { ...query, repositoryId } })
  return (
    <Card title="Pull requests that were scanned" aside={<span className="row">{checks}</span>}>
      <Part of={pages}>
        {(data) => {
          const all = data.pages.flatMap((page) => page.pullRequests)
          if (all.length === 0)
            return <p className="muted">{isNarrow ? 'None of them matches.' : 'No scan of a pull request yet.'}</p>
          return (
            <Table
              label="Pull requests"
              rows={all}
              keyOf={(each) => each.pullRequest}
              columns={[
                {
                  label: 'Pull request',
                  cell: (each) => (
                    <Link to={to(`repositories/${repositoryId}/pull-requests/${each.pullRequest}`)}>
                      #{each.pullRequest}
                    </Link>
                  ),
                },
                { label: 'Verdict', cell: (each) => <VerdictMark of={each} /> },
                { label: 'Into', cell: (each) => <Foreign text={each.baseRef} mono /> },
                { label: 'Commit', cell: (each) => <span className="mono">{each.commit.slice(0, 10)}</span> },
                {
                  label: 'Open findings',
                  end: true,
                  cell: (each) => (
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
                  ),
                },
                { label: 'Scans', end: true, cell: (each) => each.scans },
                { label: 'Last scan', cell: (each) => <Ago at={each.lastScanAt} /> },
              ]}
            />
          )
        }}
      </Part>
      {pages.hasNextPage && <Button onClick={() => void pages.fetchNextPage()}>Older ones</Button>}
    </Card>
  )
}
