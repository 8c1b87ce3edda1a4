import type { Actor } from '../../kernel/access/actor.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { cutPage, pageRequest } from '../../kernel/contract/pagination.ts'
import type { Database } from '../../kernel/database/database.ts'
import type {
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
import { countLicences } from './licence-counts.ts'
import { type DependencyRow, listByIndex, listByRepository } from './list-store.ts'
import { findPaths } from './paths/paths.ts'
import { writeSbom } from './sbom.ts'
import { conditionsOf, takesEveryDependency, transitivityWord } from './search/conditions.ts'
import { type Position, readPosition, writePosition } from './search/position.ts'
import { foundByIndex, foundByRepository } from './search/search.ts'
import { searchInSteps } from './search/search-in-steps.ts'
import { listStatements } from './search/statements.ts'
import * as store from './store.ts'

export type DependencyService = ReturnType<typeof createDependencyService>

const defaultSize = 100

export function createDependencyService(db: Database) {
  async function listRepositories(actor: Actor, request: RepositorySearch) {
    const page = pageRequest(request)
    const { rows, hasMore } = cutPage(await summaries(actor, request, page.after + 1, page.size + 1), page)
    return { repositorySummaries: rows.map(toSummary), hasMore, cursor: rows.at(-1)?.id ?? 0 }
  }

  async function summaries(actor: Actor, request: RepositorySearch, from: number, limit: number) {
    const conditions = await conditionsOf(request.dependencyFilter)
    if (takesEveryDependency(conditions)) return store.listInventories(db.as(actor), actor, conditions, from, limit)
    const search = { conditions, from, limit, width: { index: limit * 4, repository: limit } }
    return searchInSteps(search, (by, place, most) => {
      const found = (by === 'index' ? foundByIndex : foundByRepository)(actor, conditions, place, store.summaryColumns)
      return store.listSummaries(db.as(actor), actor, conditions, found, most)
    })
  }

  async function listDependencies(actor: Actor, request: DependencySearch) {
    const size = request.pageSize ?? defaultSize
    const conditions = await conditionsOf(request.dependencyFilter)
    const after = readPosition(request.cursor ?? '')
    // A repository has some hundred dependencies, of which about one is a given package: few or many fill a page.
    const few = Math.ceil(size / 25)
    const width = { index: conditions.packages ? size * 2 : few, repository: few }
    const search = { conditions, from: after.repositoryId, limit: size + 1, width }
    const rows = await searchInSteps(search, (by, place, most) => {
      const query = { actor, conditions, place, after, limit: most }
      return (by === 'index' ? listByIndex : listByRepository)(db.as(actor), query)
    })
    const kept = rows.slice(0, size)
    const hasMore = rows.length > size
    return {
      dependencies: kept.map(toDependency),
      hasMore,
      cursor: hasMore ? writePosition(positionOf(kept.at(-1)!)) : '',
    }
  }

  async function listLockfiles(actor: Actor, repositoryId: number): Promise<Lockfile[]> {
    await getRepository(actor, repositoryId)
    return (await store.listLockfiles(db.as(actor), repositoryId)).map(toLockfile)
  }

  async function statements(actor: Actor, repositoryId: number, query: StatementQuery) {
    await getRepository(actor, repositoryId)
    return listStatements(db.as(actor), repositoryId, query)
  }

  async function paths(actor: Actor, repositoryId: number, question: PathQuestion) {
    await getRepository(actor, repositoryId)
    return findPaths(db.as(actor), repositoryId, question)
  }

  async function sbom(actor: Actor, repositoryId: number, query: SbomQuery) {
    const repository = await getRepository(actor, repositoryId)
    const format = query.format ?? 'cyclonedx'
    const document = await writeSbom(db.as(actor), repositoryId, repository, format)
    await db.transaction(actor, async (tx) =>
      tx.audit({ action: 'sbom.export', target: `repository:${repositoryId}`, detail: { format } }),
    )
    return document
  }

  async function licences(actor: Actor, query: LicenceQuery) {
    const conditions = await conditionsOf({ includeArchived: query.includeArchived === 'true' })
    return countLicences(db.as(actor), actor, conditions)
  }

  async function getRepository(actor: Actor, id: number) {
    const repository = await store.findRepository(db.as(actor), actor, id)
    if (!repository) throw new Fault('not_found', `No repository ${id}.`)
    return repository
  }

  return { listRepositories, listDependencies, listLockfiles, statements, paths, sbom, licences }
}

function toSummary(row: store.SummaryRow): RepositorySummary {
  return { id: row.id, name: row.name, numDependencies: row.matches, hasDependencyPathScan: row.has_graph }
}

function toDependency(row: DependencyRow): Dependency {
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

function positionOf(row: DependencyRow): Position {
  return { repositoryId: row.id, versionId: row.package_version_id, path: row.path, nth: row.nth }
}

function toLockfile(row: store.LockfileRow): Lockfile {
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
