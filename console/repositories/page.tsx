import { usePages } from '../api/ask.ts'
import { firstOf, valuesOf, withValues } from '../app/address.ts'
import { useDeployment, usePathTo } from '../app/deployment.ts'
import { goSearch, usePlace } from '../app/location.ts'
import { Button } from '../ui/button.tsx'
import { CopyLine } from '../ui/copy-line.tsx'
import { Check } from '../ui/field.tsx'
import { useTitle } from '../ui/page.tsx'
import { ListHead, PagedList } from '../ui/paged-list.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { Empty } from '../ui/states.tsx'
import { repositoryColumns } from './columns.tsx'

export default function RepositoriesPage() {
  useTitle('Repositories')
  const to = usePathTo()
  const { role } = useDeployment()
  const { pairs } = usePlace()
  const name = firstOf(pairs, 'text')
  const [tag] = valuesOf(pairs, 'tag')
  const archived = firstOf(pairs, 'archived') === 'yes'
  const pages = usePages('listRepositories', {
    query: {
      pageSize: 100,
      ...(name && { name }),
      ...(tag && { tag }),
      ...(archived && { includeArchived: 'true' as const }),
    },
  })
  const rows = pages.data?.pages.flatMap((page) => page.repositories) ?? []
  const filtered = Boolean(name || tag)
  return (
    <>
      <ListHead title="Repositories" total={pages.hasNextPage ? undefined : pages.data && rows.length}>
        {tag && (
          <button type="button" className="chip on" onClick={() => goSearch(withValues(pairs, 'tag', []))}>
            Tag: {tag} ×
          </button>
        )}
        <Check
          label="Archived too"
          checked={archived}
          onChange={() => goSearch(withValues(pairs, 'archived', archived ? [] : ['yes']))}
        />
        <span className="push row tight">
          <SearchField label="Search names" name="text" pairs={pairs} />
        </span>
      </ListHead>
      <PagedList
        label="Repositories"
        pages={pages}
        rows={rows}
        columns={repositoryColumns}
        keyOf={(row) => String(row.id)}
        to={(row) => to(`repositories/${row.id}`)}
        empty={
          filtered ? (
            <Empty title="Nothing matches">
              <Button onClick={() => goSearch([])}>Clear filters</Button>
            </Empty>
          ) : role === 'owner' || role === 'admin' ? (
            <Empty title="No repositories yet">
              <p>The first scan of a repository makes it.</p>
              <CopyLine label="the command" text="gatehouse scan . --repository group/project --ref main" />
            </Empty>
          ) : (
            <Empty title="Not visible to you">
              <p>You see the repositories of your teams. An owner or admin can add you to one.</p>
            </Empty>
          )
        }
      />
    </>
  )
}
