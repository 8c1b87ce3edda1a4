import type { Repository } from '../../src/capabilities/repositories/contract.ts'
import { plainly } from '../ui/foreign-text.ts'
import type { Column } from '../ui/grid.tsx'
import { Ago, Tag } from '../ui/marks.tsx'

export const repositoryColumns: readonly Column<Repository>[] = [
  {
    id: 'name',
    label: 'Repository',
    width: 'minmax(180px, 3fr)',
    cell: (row) => <bdi className="strong">{plainly(row.name)}</bdi>,
  },
  {
    id: 'marks',
    label: 'Marks',
    width: 'minmax(120px, 1fr)',
    from: 520,
    cell: (row) => (
      <span className="row tight">
        {row.publiclyExposed && <Tag tone="warn">Exposed</Tag>}
        {row.archived && <Tag>Archived</Tag>}
        {row.kind === 'REPOSITORY_KIND_PACKAGE_CLIENTS' && <Tag>Firewall clients</Tag>}
      </span>
    ),
  },
  {
    id: 'tags',
    label: 'Tags',
    width: 'minmax(100px, 2fr)',
    from: 720,
    cell: (row) => <bdi className="muted">{plainly(row.tags.join(', '))}</bdi>,
  },
  {
    id: 'branch',
    label: 'Branch',
    width: '110px',
    from: 860,
    cell: (row) => <bdi className="mono muted">{plainly(row.defaultBranch)}</bdi>,
  },
  { id: 'created', label: 'Known since', width: '110px', from: 640, cell: (row) => <Ago at={row.createdAt} /> },
]
