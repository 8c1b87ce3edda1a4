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
}

/** A short list that is shown whole. It scrolls sideways by itself where the window is narrow. */
export function Table<Row>({ label, columns, rows, keyOf }: Props<Row>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it
    <section className="table-wrap" aria-label={label} tabIndex={0}>
      <table className="table">
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
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td key={column.label} className={classOf(column)}>
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

function classOf({ end, wide }: { end?: boolean; wide?: boolean }): string | undefined {
  return [end && 'end', wide && 'only-wide'].filter(Boolean).join(' ') || undefined
}
