import type pg from 'pg'
import type { Sql } from 'sql-template-tag'
import { type SpanStart, traced } from '../tracing/tracing.ts'
import { execute } from './connections/prepared-query.ts'

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

/** One of several on a connection: sent at once, as without a trace. */
export function executeTraced<Row>(client: pg.PoolClient, statement: Sql): Promise<Row[]> {
  return traced(statementSpan(statement), () => execute<Row>(client, statement))
}
