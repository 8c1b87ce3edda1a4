import sql, { type Sql } from 'sql-template-tag'
import type { Queryable } from '../../src/kernel/database/database.ts'

type PlanNode = { Plans?: PlanNode[]; [key: string]: unknown }

/** Asks in place of another, and counts what statements look at: no time says anything on a busy machine. */
export function countRows(reader: Queryable): Queryable & { rowsOf(table?: string): number; statements: string[] } {
  const plans: PlanNode[] = []
  const statements: string[] = []
  return {
    ...reader,
    statements,
    async query<Row>(statement: Sql): Promise<Row[]> {
      const explained = sql`explain (analyze, timing off, format json) ${statement}`
      const [row] = await reader.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(explained)
      plans.push(row!['QUERY PLAN'][0].Plan)
      statements.push(statement.text)
      return reader.query<Row>(statement)
    },
    /** Rows of one table, or of all. */
    rowsOf: (table) => plans.reduce((sum, plan) => sum + rowsRead(plan, table), 0),
  }
}

function rowsRead(node: PlanNode, table: string | undefined): number {
  const number = (key: string) => (node[key] as number | undefined) ?? 0
  const relation = node['Relation Name']
  const counts = relation !== undefined && (table === undefined || relation === table)
  const own = counts ? (number('Actual Rows') + number('Rows Removed by Filter')) * number('Actual Loops') : 0
  return (node.Plans ?? []).reduce((sum, below) => sum + rowsRead(below, table), own)
}
