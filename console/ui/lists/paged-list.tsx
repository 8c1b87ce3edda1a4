import type { ReactNode } from 'react'
import { nextPage } from '../../api/ask.ts'
import type { Problem } from '../../api/problem.ts'
import { go } from '../../app/address/location.ts'
import { ErrorBox, Forbidden, Waiting } from '../states.tsx'
import { type Column, Grid, type GridSort } from './grid.tsx'

type Pages = {
  error: Problem | null
  isFetching: boolean
  isError: boolean
  hasNextPage: boolean
  isSuccess: boolean
  refetch: () => unknown
  fetchNextPage: (options?: { cancelRefetch?: boolean }) => unknown
}

type Props<Row> = {
  label: string
  pages: Pages
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  keyOf: (row: Row) => string
  /** Where a row leads. */
  to?: (row: Row) => string
  empty: ReactNode
  total?: number | undefined
  sort?: GridSort | undefined
  onSort?: (sort: GridSort) => void
  selection?: ReadonlySet<string>
  onSelect?: (keys: ReadonlySet<string>) => void
}

/** A list of its own page: it fills the window, and says what it is when it is empty or fails. */
export function PagedList<Row>(props: Props<Row>) {
  const { label, pages, rows, columns, keyOf, to, empty, total, sort, onSort, selection, onSelect } = props
  const problem = rows.length === 0 ? pages.error : undefined
  const known = total ?? (pages.hasNextPage ? rows.length + 1 : rows.length)
  return (
    <div className="split">
      <div className="list">
        {pages.isFetching && <div className="busy-line" />}
        {problem &&
          (problem.status === 403 ? (
            <Forbidden problem={problem} />
          ) : (
            <div className="page">
              <ErrorBox problem={problem} retry={() => void pages.refetch()} />
            </div>
          ))}
        {!pages.error && !pages.isSuccess && (
          <div className="page">
            <Waiting lines={6} />
          </div>
        )}
        {pages.isSuccess && rows.length === 0 && empty}
        {rows.length > 0 && (
          <Grid
            label={label}
            rows={rows}
            total={Math.max(known, rows.length)}
            columns={columns}
            keyOf={keyOf}
            {...(to && { onOpen: (row: Row) => go(to(row)), addressOf: to })}
            sort={sort}
            {...(onSort && { onSort })}
            {...(selection && { selection })}
            {...(onSelect && { onSelect })}
            onMore={nextPage(pages)}
          />
        )}
      </div>
    </div>
  )
}

/** The head of such a page. */
export function ListHead({
  title,
  total,
  children,
  about,
  filters,
}: {
  title: string
  total?: number | undefined
  about?: ReactNode
  filters?: ReactNode
  children?: ReactNode
}) {
  return (
    <header className="list-head">
      <div className="row">
        <h1 tabIndex={-1}>
          {title} {total !== undefined && <span className="total">{total.toLocaleString('en')}</span>}
        </h1>
        {children}
      </div>
      {about && <p className="muted small">{about}</p>}
      {filters}
    </header>
  )
}
