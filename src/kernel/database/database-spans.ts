import type { Sql } from 'sql-template-tag'
import type { SpanStart } from '../tracing/tracing.ts'

const longestText = 2_000
const system = { 'db.system.name': 'postgresql' }

/** The text of a statement holds no values: they travel apart from it. It is put together each time it is asked for. */
export function statementSpan(statement: Sql): () => SpanStart {
  return () => ({
    name: 'postgresql statement',
    kind: 'client',
    attributes: { ...system, 'db.query.text': statement.text.slice(0, longestText) },
  })
}

export function transactionSpan(): SpanStart {
  return { name: 'postgresql transaction', kind: 'client', attributes: { ...system } }
}
