import { type Cell, csvLine } from './csv.ts'

/** One object with a list in it, an entry a line. */
export async function* writeJson(name: string, pages: AsyncIterable<readonly object[]>): AsyncGenerator<string> {
  yield `{${JSON.stringify(name)}:[`
  let separator = '\n'
  for await (const entries of pages) {
    for (const entry of entries) {
      yield separator + JSON.stringify(entry)
      separator = ',\n'
    }
  }
  yield '\n]}\n'
}

/** The names of the columns, and a line for each entry. */
export async function* writeCsv<Column extends string>(
  columns: readonly Column[],
  pages: AsyncIterable<readonly Record<Column, Cell>[]>,
): AsyncGenerator<string> {
  yield csvLine(columns)
  for await (const entries of pages) {
    for (const entry of entries) yield csvLine(columns.map((column) => entry[column]))
  }
}
