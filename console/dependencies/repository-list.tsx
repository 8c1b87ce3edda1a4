import { usePages } from '../api/ask.ts'
import type { Answer } from '../api/contracts.ts'
import { usePathTo } from '../app/deployment.ts'
import type { Column } from '../ui/lists/grid.tsx'
import { PagedList } from '../ui/lists/paged-list.tsx'
import { plainly } from '../ui/text/foreign-text.ts'
import type { ListProps } from './list-props.ts'

type Summary = Answer<'listRepositoriesWithDependencies'>['repositorySummaries'][number]

/** Who has it, and how often. */
export function RepositoryList({ filter, counts, empty }: ListProps) {
  const to = usePathTo()
  const body = { dependencyFilter: filter, pageSize: 100 }
  const pages = usePages('listRepositoriesWithDependencies', { body }, { where: 'body' })
  const rows = pages.data?.pages.flatMap((page) => page.repositorySummaries) ?? []
  return (
    <PagedList
      label="Repositories"
      pages={pages}
      rows={rows}
      columns={columns}
      total={counts && Math.max(counts.repositoryCount, rows.length)}
      keyOf={(row) => String(row.id)}
      to={(row) => to(`repositories/${row.id}/dependencies`)}
      empty={empty}
    />
  )
}

const columns: Column<Summary>[] = [
  {
    id: 'repository',
    label: 'Repository',
    width: 'minmax(160px, 3fr)',
    cell: (row) => <bdi>{plainly(row.name)}</bdi>,
  },
  {
    id: 'dependencies',
    label: 'Matching dependencies',
    width: '180px',
    end: true,
    cell: (row) => row.numDependencies.toLocaleString('en'),
  },
]
