import sql from 'sql-template-tag'
import type { Queryable, Transaction } from '../../kernel/database/database.ts'

/** A file of a Go module at a registry. */
export type ModuleFile = { registry: string; file: string }

export async function find(db: Queryable, { registry, file }: ModuleFile): Promise<string | undefined> {
  const [row] = await db.query<{ sum: string }>(sql`select sum from module_sum
    where deployment_id = ${db.deploymentId} and registry = ${registry} and file = ${file}`)
  return row?.sum
}

/** The first that is remembered of a file counts; which one that is, is the answer. */
export async function remember(tx: Transaction, { registry, file }: ModuleFile, sum: string): Promise<string> {
  const [row] = await tx.query<{ sum: string }>(sql`insert into module_sum (deployment_id, registry, file, sum)
    values (${tx.deploymentId}, ${registry}, ${file}, ${sum})
    on conflict (deployment_id, registry, file) do update set sum = module_sum.sum returning sum`)
  return row!.sum
}
