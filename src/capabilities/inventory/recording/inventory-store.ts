import sql from 'sql-template-tag'
import type { Source } from '../../../domain/sources.ts'
import type { Queryable, Transaction } from '../../../kernel/database/database.ts'
import { rowsNotCopied } from '../../../kernel/database/given-rows.ts'
import type { ScanProblem } from '../../scans/contract.ts'
import { filesAtOnce, groupBatches } from '../packed-files.ts'
import type { PackedInventory } from './column-batches.ts'
import { type DependencyOwner, identifyLicences, insertKnown, insertWithPackages } from './package-store.ts'
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

/** Of what bills say about vulnerabilities. */
const statementsAtOnce = 4

/** The ids that new files will have and those of the licences they name: what is known before the files are written. */
export async function prepareFiles(tx: Transaction, files: readonly PackedInventory[]): Promise<PreparedFile[]> {
  if (files.length === 0) return []
  const ids = tx.query<{ id: number }>(
    sql`select nextval('lockfile_id_seq') as id from generate_series(1, ${files.length})`,
  )
  // Also where the licences fail first.
  ids.catch(() => {})
  const licences: number[][] = []
  for (const some of groupsOf(files, filesAtOnce)) {
    licences.push(...(await Promise.all(some.map((packed) => identifyLicences(tx, packed.licences)))))
  }
  return (await ids).map(({ id }, at) => ({ lockfileId: id, licences: licences[at]! }))
}

type PreparedFile = Omit<DependencyOwner, 'repositoryId'>

/**
 * New files with all their dependencies, in place of those that are gone. The inventory is from now on that of the scan. Answers
 * when what is left of them is sent, and `written` when it is answered.
 */
export async function replaceFiles(
  tx: Transaction,
  scan: { repositoryId: number; scanId: number; source: Source },
  files: readonly { file: NewFile; prepared: PreparedFile }[],
  gone: readonly { id: number }[],
): Promise<{ written: Promise<unknown> }> {
  const { repositoryId, scanId } = scan
  const sent: Promise<unknown>[] = [
    removeFiles(
      tx,
      repositoryId,
      gone.map((file) => file.id),
    ),
  ]
  const groups = groupsOf(files, filesAtOnce)
  for (const [at, some] of groups.entries()) {
    sent.push(...some.map(({ file, prepared }) => insertFile(tx, scan, file, prepared.lockfileId)))
    if (at < groups.length - 1) await Promise.all(sent.splice(0))
  }
  sent.push(settleInventory(tx, repositoryId, scanId))
  const batches = files.flatMap(({ file, prepared }) => {
    const owner = { repositoryId, ...prepared }
    return file.packed.batches.map((batch) => ({ owner, batch }))
  })
  for (const some of groupBatches(batches)) {
    const known = Promise.all(some.map(({ owner, batch }) => insertKnown(tx, owner, batch)))
    const [isKnown] = await Promise.all([known, ...sent.splice(0)])
    const unknown = some.filter((_, at) => !isKnown[at])
    sent.push(...unknown.map(({ owner, batch }) => insertWithPackages(tx, owner, batch)))
  }
  for (const { file, prepared } of files) {
    for (const batch of file.packed.statements) {
      sent.push(insertStatements(tx, { repositoryId, lockfileId: prepared.lockfileId }, batch))
      if (sent.length > statementsAtOnce) await Promise.all(sent.splice(0))
    }
  }
  const written = Promise.all(sent)
  // Whoever awaits it hears of it.
  written.catch(() => {})
  return { written }
}

function groupsOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size))
}

async function insertFile(
  tx: Transaction,
  { repositoryId, scanId, source }: { repositoryId: number; scanId: number; source: Source },
  file: NewFile,
  id: number,
): Promise<void> {
  const { packed } = file
  await tx.query(sql`insert into lockfile (deployment_id, repository_id, id, path, source, format, bytes,
      digest, scan_id, dependency_count, problems, problem_count, statement_count, has_graph, graph)
    overriding system value
    values (${tx.deploymentId}, ${repositoryId}, ${id}, ${file.path}, ${source}, ${file.format}, ${file.bytes}, ${file.digest}, ${scanId},
      ${packed.count}, ${JSON.stringify(file.problems)}, ${file.problemCount}, ${statementCount(packed)},
      ${packed.graph.length > 0},
      ${Buffer.from(packed.graph)})`)
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

/** Whether this source has reported what the repository has: what others report is at other paths. */
export async function hasInventory(tx: Transaction, repositoryId: number, source: Source): Promise<boolean> {
  const rows = await tx.query(sql`select from inventory i
    where i.deployment_id = ${tx.deploymentId} and i.repository_id = ${repositoryId}
      and (not exists (select 1 from lockfile l where l.deployment_id = i.deployment_id and l.repository_id = i.repository_id)
        or exists (select 1 from lockfile l where l.deployment_id = i.deployment_id and l.repository_id = i.repository_id
          and l.source = ${source}))`)
  return rows.length > 0
}
