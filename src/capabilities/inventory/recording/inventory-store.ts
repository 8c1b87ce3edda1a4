import sql from 'sql-template-tag'
import type { Source } from '../../../domain/sources.ts'
import type { Queryable, Transaction } from '../../../kernel/database/database.ts'
import { rowsNotCopied } from '../../../kernel/database/given-rows.ts'
import type { ScanProblem } from '../../scans/contract.ts'
import type { PackedInventory } from './column-batches.ts'
import { type DependencyOwner, identifyLicences, insertDependencies } from './package-store.ts'
import type { StatementBatch } from './statement-batches.ts'

/** A file of the current inventory, as far as a new scan has to know it. */
export type StoredFile = {
  id: number
  path: string
  source: string
  format: string
  digest: Buffer
  dependency_count: number
  problems: ScanProblem[]
  problem_count: number
  statement_count: number
}

export function listFiles(db: Queryable, repositoryId: number): Promise<StoredFile[]> {
  return db.query(sql`select id, path, source, format, digest, dependency_count, problems, problem_count, statement_count
    from lockfile
    where deployment_id = ${db.deploymentId} and repository_id = ${repositoryId}`)
}

export type NewFile = {
  path: string
  format: string
  bytes: number
  digest: Buffer
  problems: ScanProblem[]
  problemCount: number
  packed: PackedInventory
}

/** What is sent at once, which is held in memory until PostgreSQL has taken it. */
const filesAtOnce = 20

/** New files with all their dependencies, in place of those that are gone. The inventory is from now on that of the scan. */
export async function replaceFiles(
  tx: Transaction,
  scan: { repositoryId: number; scanId: number; source: Source },
  files: readonly NewFile[],
  gone: readonly { id: number }[],
): Promise<void> {
  const { repositoryId, scanId } = scan
  const removed = removeFiles(
    tx,
    repositoryId,
    gone.map((file) => file.id),
  )
  const waiting = [...files]
  const owners: DependencyOwner[] = []
  do {
    const some = waiting.splice(0, filesAtOnce).map((file) => insertFile(tx, scan, file))
    const settled = waiting.length === 0 ? settleInventory(tx, repositoryId, scanId) : undefined
    const [added] = await Promise.all([Promise.all(some), removed, settled])
    owners.push(...added)
  } while (waiting.length > 0)
  for (const [at, { packed }] of files.entries()) {
    for (const batch of packed.batches) await insertDependencies(tx, owners[at]!, batch)
    for (const batch of packed.statements) await insertStatements(tx, owners[at]!, batch)
  }
}

async function insertFile(
  tx: Transaction,
  { repositoryId, scanId, source }: { repositoryId: number; scanId: number; source: Source },
  file: NewFile,
): Promise<DependencyOwner> {
  const { packed } = file
  const inserted = tx.query<{
    id: number
  }>(sql`insert into lockfile (deployment_id, repository_id, path, source, format, bytes,
      digest, scan_id, dependency_count, problems, problem_count, statement_count, has_graph, graph)
    values (${tx.deploymentId}, ${repositoryId}, ${file.path}, ${source}, ${file.format}, ${file.bytes}, ${file.digest}, ${scanId},
      ${packed.count}, ${JSON.stringify(file.problems)}, ${file.problemCount}, ${statementCount(packed)},
      ${packed.graph.length > 0},
      ${Buffer.from(packed.graph)})
    returning id`)
  const [[row], licences] = await Promise.all([inserted, identifyLicences(tx, packed.licences)])
  return { repositoryId, lockfileId: row!.id, licences }
}

export function statementCount({ statements }: PackedInventory): number {
  return statements.reduce((sum, { size }) => sum + size, 0)
}

async function insertStatements(
  tx: Transaction,
  { repositoryId, lockfileId }: Pick<DependencyOwner, 'repositoryId' | 'lockfileId'>,
  batch: StatementBatch,
): Promise<void> {
  await tx.query(sql`insert into bill_statement (deployment_id, repository_id, lockfile_id, vulnerability, state,
      justification, affects, document)
    select ${tx.deploymentId}::bigint, ${repositoryId}::bigint, ${lockfileId}::bigint, t.vulnerability, t.state,
      t.justification, t.affects, t.document
    from unnest(${batch.vulnerability}::text[], ${batch.state}::text[], ${batch.justification}::text[],
      ${batch.affects}::text[], ${batch.document}::text[])
      with ordinality as t (vulnerability, state, justification, affects, document, place)
    order by t.place ${rowsNotCopied}`)
}

/** With their dependencies. */
async function removeFiles(tx: Transaction, repositoryId: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await tx.query(sql`delete from lockfile
    where deployment_id = ${tx.deploymentId} and repository_id = ${repositoryId} and id = any(${ids}::bigint[])`)
}

/** Notes the scan that the inventory is now that of, with the sums of its files. */
async function settleInventory(tx: Transaction, repositoryId: number, scanId: number): Promise<void> {
  await tx.query(sql`insert into inventory (deployment_id, repository_id, scan_id, lockfile_count, dependency_count, has_graph)
    select ${tx.deploymentId}::bigint, ${repositoryId}::bigint, ${scanId}::bigint, count(*),
      coalesce(sum(dependency_count), 0), coalesce(bool_or(has_graph), false)
    from lockfile where deployment_id = ${tx.deploymentId} and repository_id = ${repositoryId}
    on conflict (deployment_id, repository_id) do update set scan_id = excluded.scan_id,
      lockfile_count = excluded.lockfile_count, dependency_count = excluded.dependency_count,
      has_graph = excluded.has_graph, updated_at = excluded.updated_at`)
}

/** Whether this source has told what the repository has: what others tell of stands at other paths. */
export async function hasInventory(tx: Transaction, repositoryId: number, source: Source): Promise<boolean> {
  const rows = await tx.query(sql`select from inventory i
    where i.deployment_id = ${tx.deploymentId} and i.repository_id = ${repositoryId}
      and (not exists (select 1 from lockfile l where l.deployment_id = i.deployment_id and l.repository_id = i.repository_id)
        or exists (select 1 from lockfile l where l.deployment_id = i.deployment_id and l.repository_id = i.repository_id
          and l.source = ${source}))`)
  return rows.length > 0
}
