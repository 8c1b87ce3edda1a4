import sql, { type Sql } from 'sql-template-tag'
import { type Actor, systemActor } from '../../src/kernel/access/actor.ts'
import type { Database, Queryable } from '../../src/kernel/database/database.ts'
import type { TestGatehouse } from '../gatehouse.ts'

type PlanNode = { 'Relation Name'?: string; 'Actual Rows': number; 'Actual Loops': number; Plans?: PlanNode[] }

/** How many rows of a table all statements take that the work sends for somebody who sees everything, by PostgreSQL's own count. */
export async function rowsRead(
  gatehouse: TestGatehouse,
  table: string,
  work: (db: Database, actor: Actor) => Promise<unknown>,
): Promise<number> {
  const actor = systemActor(gatehouse.owner.deploymentId, 'rows-read')
  const tenant = gatehouse.db.as(actor)
  let read = 0
  const sumOf = ({ Plans: parts = [], ...node }: PlanNode): number =>
    (node['Relation Name'] === table ? node['Actual Rows'] * node['Actual Loops'] : 0) +
    parts.reduce((sum, part) => sum + sumOf(part), 0)
  const explaining = {
    deploymentId: tenant.deploymentId,
    query: async (statement: Sql) => {
      const explained = sql`explain (analyze, format json) ${statement}`
      const [row] = await tenant.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(explained)
      read += sumOf(row!['QUERY PLAN'][0].Plan)
      return tenant.query(statement)
    },
  } as unknown as Queryable
  await work({ as: () => explaining } as unknown as Database, actor)
  return read
}
