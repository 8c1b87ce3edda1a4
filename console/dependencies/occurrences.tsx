import { useState } from 'react'
import type { Dependency } from '../../src/capabilities/dependencies/contract.ts'
import { usePages } from '../api/ask.ts'
import { usePathTo } from '../app/deployment.ts'
import { Link } from '../ui/link.tsx'
import type { Column } from '../ui/lists/grid.tsx'
import { PagedList } from '../ui/lists/paged-list.tsx'
import { plainly } from '../ui/text/foreign-text.ts'
import { label } from '../ui/text/words.ts'
import type { ListProps } from './list-props.ts'
import { packagePath } from './package-path.ts'
import { Paths } from './paths.tsx'

/** Every entry of every file. */
export function Occurrences({ filter, counts, empty }: ListProps) {
  const pages = usePages('listDependencies', { body: { dependencyFilter: filter, pageSize: 100 } }, { where: 'body' })
  const [open, setOpen] = useState<Dependency>()
  const rows = pages.data?.pages.flatMap((page) => page.dependencies) ?? []
  return (
    <>
      <PagedList
        label="Dependencies"
        pages={pages}
        rows={rows}
        columns={columns(setOpen)}
        total={counts && Math.max(counts.dependencyCount, rows.length)}
        keyOf={(row) =>
          `${row.repositoryId} ${row.lockfilePath} ${row.ecosystem} ${row.name} ${row.version} ${row.line}`
        }
        empty={empty}
      />
      {open && <Paths dependency={open} onClose={() => setOpen(undefined)} />}
    </>
  )
}

function columns(onPath: (row: Dependency) => void): Column<Dependency>[] {
  return [
    {
      id: 'package',
      label: 'Package',
      width: 'minmax(140px, 2fr)',
      narrow: 'minmax(96px, 1fr)',
      cell: (row) => <PackageCell row={row} />,
    },
    {
      id: 'version',
      label: 'Version',
      width: 'minmax(80px, 1fr)',
      narrow: '64px',
      cell: (row) => <bdi className="mono">{plainly(row.version)}</bdi>,
    },
    { id: 'ecosystem', label: 'Ecosystem', width: '84px', from: 900, cell: (row) => row.ecosystem },
    {
      id: 'brought',
      label: 'Brought in',
      width: '110px',
      from: 620,
      cell: (row) => (
        <button type="button" className="link" onClick={() => onPath(row)} tabIndex={-1}>
          {row.transitivity === 'DIRECT'
            ? 'Directly'
            : row.transitivity === 'TRANSITIVE'
              ? 'Transitively'
              : label('not told')}
        </button>
      ),
    },
    {
      id: 'licence',
      label: 'Licence',
      width: 'minmax(70px, 1fr)',
      from: 780,
      cell: (row) => <bdi>{plainly(row.license)}</bdi>,
    },
    { id: 'repository', label: 'Repository', width: 'minmax(120px, 2fr)', cell: (row) => <RepositoryCell row={row} /> },
    {
      id: 'file',
      label: 'File',
      width: 'minmax(110px, 2fr)',
      from: 1000,
      cell: (row) => (
        <bdi className="mono muted">{plainly(row.lockfilePath) + (row.line > 0 ? `:${row.line}` : '')}</bdi>
      ),
    },
  ]
}

function PackageCell({ row }: { row: Dependency }) {
  const to = usePathTo()
  return (
    <Link to={to(packagePath(row))} tabIndex={-1}>
      <bdi className="mono">{plainly(row.name)}</bdi>
    </Link>
  )
}

function RepositoryCell({ row }: { row: Dependency }) {
  const to = usePathTo()
  return (
    <Link to={to(`repositories/${row.repositoryId}`)} tabIndex={-1}>
      <bdi>{plainly(row.repositoryName)}</bdi>
    </Link>
  )
}
