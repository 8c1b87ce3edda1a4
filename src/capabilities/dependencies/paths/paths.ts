import sql, { empty } from 'sql-template-tag'
import type { Queryable } from '../../../kernel/database/database.ts'
import type { DependencyPath, PathQuestion, PathStep } from '../contract.ts'
import { packageCriteria } from '../search/criteria.ts'
import { versionsWanted } from '../search/sql-conditions.ts'
import { shortestPaths } from './shortest-paths.ts'

const defaultLimit = 20
/** A repository may have thousands of files with the same package, and each costs reading its graph. */
const mostFiles = 200
/** Of all paths together; real ones have ten at most. */
const mostSteps = 10_000

/** For each direct dependency the shortest path to the package, in each file that tells. */
export async function findPaths(db: Queryable, repositoryId: number, question: PathQuestion) {
  const limit = question.limit ?? defaultLimit
  const paths: DependencyPath[] = []
  let steps = 0
  let hasMore = false
  for (const { id, targets } of await filesWith(db, repositoryId, question)) {
    const file = await readFile(db, repositoryId, id)
    // It may have gone with an upload since; then it has no paths any more.
    if (!file) continue
    const left = { paths: limit + 1, steps: mostSteps - steps }
    const found = await shortestPaths(file.graph, file.directs, new Set(targets), left)
    hasMore ||= found.hasMore
    const shown = await describe(db, repositoryId, id, new Set(found.paths.flat()))
    for (const path of found.paths) {
      steps += path.length
      if (path.every((ordinal) => shown.has(ordinal)))
        paths.push({ lockfilePath: file.path, steps: path.map((ordinal) => shown.get(ordinal)!) })
    }
  }
  paths.sort((a, b) => a.steps.length - b.steps.length)
  return { paths: paths.slice(0, limit), truncated: hasMore || paths.length > limit }
}

/** A file's id stands for its content, so what is read of it in several steps fits together. */
async function filesWith(db: Queryable, repositoryId: number, question: PathQuestion) {
  const { name, version, ecosystem, lockfilePath } = question
  const target = { name, exactNameMatch: true, ...(version && { exactVersion: version }) }
  const criteria = await packageCriteria({ packageFilters: [target], ...(ecosystem && { ecosystem: [ecosystem] }) })
  const inFile = lockfilePath ? sql`and l.path = ${lockfilePath}` : empty
  return db.query<{ id: number; targets: number[] }>(sql`select l.id, array_agg(d.ordinal) as targets from lockfile l
    join dependency d on d.deployment_id = l.deployment_id and d.repository_id = l.repository_id and d.lockfile_id = l.id
    where l.deployment_id = ${db.deploymentId} and l.repository_id = ${repositoryId} and l.has_graph ${inFile}
      and d.repository_id = ${repositoryId}
      and d.package_version_id = any(array(${versionsWanted(db.deploymentId, criteria!)}))
    group by l.id, l.path order by l.path limit ${mostFiles}`)
}

async function readFile(db: Queryable, repositoryId: number, id: number) {
  const [file] = await db.query<{ path: string; graph: Buffer; directs: number[] }>(sql`select l.path, l.graph,
      array(select d.ordinal from dependency d where d.deployment_id = l.deployment_id
        and d.repository_id = l.repository_id and d.lockfile_id = l.id and d.transitivity = 'D') as directs
    from lockfile l where l.deployment_id = ${db.deploymentId} and l.repository_id = ${repositoryId} and l.id = ${id}`)
  return file
}

async function describe(
  db: Queryable,
  repositoryId: number,
  lockfileId: number,
  ordinals: ReadonlySet<number>,
): Promise<Map<number, PathStep>> {
  const rows = await db.query<PathStep & { ordinal: number }>(sql`
    select d.ordinal, p.ecosystem, p.shown_name as name, v.version, d.line from dependency d
    join package_version v on v.deployment_id = d.deployment_id and v.id = d.package_version_id
    join package p on p.deployment_id = d.deployment_id and p.id = d.package_id
    where d.deployment_id = ${db.deploymentId} and d.repository_id = ${repositoryId} and d.lockfile_id = ${lockfileId}
      and d.ordinal = any(${[...ordinals]}::integer[])`)
  return new Map(rows.map(({ ordinal, ...step }) => [ordinal, step]))
}
