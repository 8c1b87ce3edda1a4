import type { ReactNode } from 'react'

export type TableColumn<Row> = {
  label: string
  cell: (row: Row) => ReactNode
  end?: boolean
  /** The heading is only spoken: the cells hold buttons. */
  quiet?: boolean
  /** Left out on a telephone: it says in words what another column says too. */
  wide?: boolean
}

type Props<Row> = {
  label: string
  columns: readonly TableColumn<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string | number
  /** Rows of what is over: greyed. */
  isOver?: (row: Row) => boolean
  /** Columns are equally wide, so that those of tables below each other stand in line. */
  even?: boolean
}

/** A short list that is shown whole. On a telephone, each row of many columns stands as a small list of its own. */
export function Table<Row>({ label, columns, rows, keyOf, isOver, even }: Props<Row>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it
    <section className="table-wrap" aria-label={label} tabIndex={0}>
      <table className={['table', isTooWide(columns) && 'stacks', even && 'even'].filter(Boolean).join(' ')}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.label} scope="col" className={classOf(column)}>
                {column.quiet ? <span className="visually-hidden">{column.label}</span> : column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} className={isOver?.(row) ? 'muted' : undefined}>
              {columns.map((column) => (
                <td key={column.label} className={classOf(column)} data-label={column.quiet ? undefined : column.label}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** Numbers are short: three columns fit a telephone as long as no more than two of them are words. */
function isTooWide(columns: readonly { end?: boolean; quiet?: boolean }[]): boolean {
  return columns.length > 3 || columns.filter(({ end, quiet }) => !end || quiet).length > 2
}

function classOf({ end, wide }: { end?: boolean; wide?: boolean }): string | undefined {
  return [end && 'end', wide && 'only-wide'].filter(Boolean).join(' ') || undefined
}
