import type { BillStatement, InventoryItem } from '../../../formats/format.ts'
import { textArray } from '../../../kernel/database/array-literal.ts'
import { storableText } from '../../../kernel/text/storable-text.ts'

/** Statements of a bill in the shape the database takes: each column one array in PostgreSQL's own notation. */
export type StatementBatch = {
  size: number
  vulnerability: string
  state: string
  justification: string
  affects: string
  document: string
}

const batchSize = 500

export function packStatements(
  statements: readonly BillStatement[],
  items: readonly InventoryItem[],
): StatementBatch[] {
  if (statements.length === 0) return []
  const byKey = new Map(items.map((item) => [item.key, item]))
  const batches: StatementBatch[] = []
  for (let start = 0; start < statements.length; start += batchSize) {
    const part = statements.slice(start, start + batchSize)
    batches.push({
      size: part.length,
      vulnerability: textArray(part.map((one) => storableText(one.vulnerability))),
      state: textArray(part.map((one) => storableText(one.state))),
      justification: textArray(part.map((one) => storableText(one.justification))),
      affects: textArray(
        part.map((one) => JSON.stringify(one.affects.map((ref) => affected(storableText(ref), byKey.get(ref))))),
      ),
      document: textArray(part.map((one) => one.document)),
    })
  }
  return batches
}

function affected(ref: string, item: InventoryItem | undefined) {
  return { ref, ecosystem: item?.ecosystem ?? '', name: item?.name ?? '', version: item?.version ?? '' }
}
