import type { ScannedPullRequest } from '../../src/capabilities/scans/pull-requests/pull-request-contract.ts'
import { usePages } from '../api/ask.ts'
import { goSearch } from '../app/address/location.ts'
import { usePathTo } from '../app/deployment.ts'
import { Button } from '../ui/button.tsx'
import type { Column } from '../ui/lists/grid.tsx'
import { ListHead, PagedList } from '../ui/lists/paged-list.tsx'
import { useTitle } from '../ui/page.tsx'
import { Empty } from '../ui/states.tsx'
import { plainly } from '../ui/text/foreign-text.ts'
import { Ago } from '../ui/text/marks.tsx'
import { NothingYet } from './nothing-yet.tsx'
import { usePullRequestFilter } from './pull-request-filter.tsx'
import { VerdictMark } from './verdict-mark.tsx'

const columns: readonly Column<ScannedPullRequest>[] = [
  {
    id: 'repository',
    label: 'Repository',
    width: 'minmax(140px, 2fr)',
    cell: (row) => <bdi>{plainly(row.repository)}</bdi>,
  },
  { id: 'number', label: 'Number', width: '76px', narrow: '56px', cell: (row) => `#${row.pullRequest}` },
  {
    id: 'verdict',
    label: 'Verdict',
    width: '112px',
    narrow: '96px',
    cell: (row) => <VerdictMark of={row} />,
  },
  {
    id: 'branches',
    label: 'From, into',
    width: 'minmax(120px, 1fr)',
    from: 760,
    cell: (row) => <bdi className="mono muted">{plainly(`${row.ref} → ${row.baseRef}`)}</bdi>,
  },
  { id: 'shown', label: 'Shown', width: '70px', end: true, from: 560, cell: (row) => row.shownFindings },
  { id: 'scans', label: 'Scans', width: '70px', end: true, from: 640, cell: (row) => row.scans },
  { id: 'when', label: 'Last scan', width: '96px', cell: (row) => <Ago at={row.lastScanAt} /> },
]

/** Pull requests of all repositories; `?blocked=yes&over=no` are those that wait for somebody. */
export default function PullRequestsPage() {
  useTitle('Pull requests')
  const to = usePathTo()
  const { query, isNarrow, checks } = usePullRequestFilter()
  const pages = usePages('listPullRequests', { query })
  const rows = pages.data?.pages.flatMap((page) => page.pullRequests) ?? []
  return (
    <>
      <ListHead title="Pull requests" about="Those that were scanned, each as its last scan left it.">
        {checks}
      </ListHead>
      <PagedList
        label="Pull requests"
        pages={pages}
        rows={rows}
        columns={columns}
        keyOf={(row) => `${row.repositoryId}-${row.pullRequest}`}
        to={(row) => to(`repositories/${row.repositoryId}/pull-requests/${row.pullRequest}`)}
        empty={
          isNarrow ? (
            <Empty title="No pull request matches">
              <Button onClick={() => goSearch([])}>Show all</Button>
            </Empty>
          ) : (
            <NothingYet
              title="No scan of a pull request yet"
              about="Scan pull requests in CI, and what they bring is shown in them before it is merged."
              label="the command that scans a pull request"
              command="gatehouse scan . --repository group/project --ref my-change --pull-request 7 --base-ref main"
            />
          )
        }
      />
    </>
  )
}
