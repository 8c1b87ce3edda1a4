import sql, { type Sql } from 'sql-template-tag'
import { type Actor, systemActor } from '../../src/kernel/access/actor.ts'
import type { Database, Queryable } from '../../src/kernel/database/database.ts'
import type { TestGatehouse } from '../gatehouse.ts'

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
    rowsOf: (table) => plans.reduce((sum, plan) => sum + rowsOfPlan(plan, table), 0),
  }
}

function rowsOfPlan(node: PlanNode, table: string | undefined): number {
  const number = (key: string) => (node[key] as number | undefined) ?? 0
  const relation = node['Relation Name']
  const counts = relation !== undefined && (table === undefined || relation === table)
  const own = counts ? (number('Actual Rows') + number('Rows Removed by Filter')) * number('Actual Loops') : 0
  return (node.Plans ?? []).reduce((sum, below) => sum + rowsOfPlan(below, table), own)
}

/** How many rows of a table all statements look at that the work sends for somebody who sees everything. */
export async function rowsRead(
  gatehouse: TestGatehouse,
  table: string,
  work: (db: Database, actor: Actor) => Promise<unknown>,
): Promise<number> {
  const actor = systemActor(gatehouse.owner.deploymentId, 'rows-read')
  const counting = countRows(gatehouse.db.as(actor))
  await work({ as: () => counting } as unknown as Database, actor)
  return counting.rowsOf(table)
}
