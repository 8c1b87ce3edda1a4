import type { Actor } from '../../kernel/access/actor.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { cutPage, cutPageBy, pageRequest } from '../../kernel/contract/pagination.ts'
import type { Database } from '../../kernel/database/database.ts'
import * as inventory from '../inventory/public.ts'
import type {
  BillStatement,
  Dependency,
  DependencySearch,
  LicenceQuery,
  Lockfile,
  PathQuestion,
  RepositorySearch,
  RepositorySummary,
  SbomQuery,
  StatementQuery,
} from './contract.ts'
import { createDependencyExport } from './export/export.ts'
import { findPaths } from './paths.ts'
import { type BilledVersion, type BilledVulnerabilities, writeSbom } from './sbom.ts'
import { conditionsOf, transitivityWord } from './search/conditions.ts'
import { readPosition, writePosition } from './search/position.ts'

export type DependencyService = ReturnType<typeof createDependencyService>

const defaultSize = 100

export function createDependencyService(db: Database) {
  async function listRepositories(actor: Actor, request: RepositorySearch) {
    const page = pageRequest(request)
    const conditions = await conditionsOf(request.dependencyFilter)
    const place = { from: page.after + 1, limit: page.size + 1 }
    const found = await inventory.searchRepositories(db.as(actor), actor, conditions, place)
    const { rows, hasMore } = cutPage(found, page)
    return { repositorySummaries: rows.map(toSummary), hasMore, cursor: rows.at(-1)?.id ?? 0 }
  }

  async function listDependencies(actor: Actor, request: DependencySearch) {
    const size = request.pageSize ?? defaultSize
    const conditions = await conditionsOf(request.dependencyFilter)
    const after = readPosition(request.cursor ?? '')
    const rows = await inventory.searchDependencies(db.as(actor), actor, conditions, { after, size })
    const { rows: kept, ...page } = cutPageBy(rows, { size }, (last) => writePosition(positionOf(last)))
    return { dependencies: kept.map(toDependency), ...page }
  }

  async function listLockfiles(actor: Actor, repositoryId: number): Promise<Lockfile[]> {
    await getRepository(actor, repositoryId)
    return (await inventory.listLockfiles(db.as(actor), repositoryId)).map(toLockfile)
  }

  async function statements(actor: Actor, repositoryId: number, query: StatementQuery) {
    await getRepository(actor, repositoryId)
    const page = pageRequest(query)
    const found = await inventory.listStatements(db.as(actor), repositoryId, page, query.vulnerability ?? '')
    const { rows, ...rest } = cutPage(found, page)
    return { statements: rows.map(toStatement), ...rest }
  }

  async function paths(actor: Actor, repositoryId: number, question: PathQuestion) {
    await getRepository(actor, repositoryId)
    return findPaths(db.as(actor), repositoryId, question)
  }

  /** Of its inventory, or of a version that is kept beside it; with vulnerabilities where some were found. */
  async function sbom(
    actor: Actor,
    repositoryId: number,
    query: SbomQuery,
    about: { kept?: BilledVersion | undefined; found?: BilledVulnerabilities | undefined } = {},
  ) {
    const { kept, found } = about
    const repository = await getRepository(actor, repositoryId)
    const format = query.format ?? 'cyclonedx'
    const document = await writeSbom(db.as(actor), repositoryId, repository, format, about)
    const detail = {
      format,
      ...(kept && { version: kept.version }),
      ...(found && { vulnerabilities: found.list.length }),
    }
    await db.transaction(actor, async (tx) =>
      tx.audit({ action: 'sbom.export', target: `repository:${repositoryId}`, detail }),
    )
    return document
  }

  async function licences(actor: Actor, query: LicenceQuery) {
    const conditions = await conditionsOf({ includeArchived: query.includeArchived === 'true' })
    return inventory.countLicences(db.as(actor), actor, conditions)
  }

  async function getRepository(actor: Actor, id: number) {
    const repository = await inventory.findInventory(db.as(actor), actor, id)
    if (!repository) throw new Fault('not_found', `No repository ${id}.`)
    return repository
  }

  return {
    listRepositories,
    listDependencies,
    listLockfiles,
    statements,
    paths,
    sbom,
    licences,
    ...createDependencyExport(db, listDependencies),
  }
}

function toSummary(row: inventory.SummaryRow): RepositorySummary {
  return { id: row.id, name: row.name, numDependencies: row.matches, hasDependencyPathScan: row.has_graph }
}

function toDependency(row: inventory.DependencyRow): Dependency {
  return {
    repositoryId: row.id,
    repositoryName: row.repository_name,
    ecosystem: row.ecosystem,
    name: row.name,
    version: row.version,
    transitivity: transitivityWord(row.transitivity),
    development: row.development,
    license: row.licence ?? '',
    licenses: row.licences ?? [],
    lockfilePath: row.path,
    line: row.line,
    resolved: row.resolved,
  }
}

function positionOf(row: inventory.DependencyRow): inventory.ListPosition {
  return { repositoryId: row.id, versionId: row.package_version_id, path: row.path, nth: row.nth }
}

function toLockfile(row: inventory.LockfileRow): Lockfile {
  return {
    path: row.path,
    format: row.format,
    bytes: row.bytes,
    dependencyCount: row.dependency_count,
    problemCount: row.problem_count,
    hasDependencyPaths: row.has_graph,
    statementCount: row.statement_count,
    scanId: row.scan_id,
  }
}

function toStatement({ path, affects, document, ...row }: inventory.StatementRow): BillStatement {
  return { ...row, lockfilePath: path, affects: JSON.parse(affects), document: JSON.parse(document) }
}
