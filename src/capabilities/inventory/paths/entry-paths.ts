import sql, { type Sql } from 'sql-template-tag'
import { plainElements } from '../../../kernel/database/array-literal.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { type EntryColumns, packedEntries, shownNameOf } from '../entries.ts'
import { shortestWaysFrom } from './shortest-paths.ts'

/** A file that was read and is not stored. */
export type PackedFile = { path: string; packed: { graph: Uint8Array; batches: readonly EntryColumns[] } }

/** An entry of a file: by its path and its number in it. */
export type FileEntry = { path: string; ordinal: number; transitivity: string }

/** From a direct dependency to the entry, as people write them: `express 4.17.1`. Empty where it is not known. */
export type PathTo = (entry: FileEntry) => readonly string[]

type Step = { ordinal: number; name: string; version: string }
type StoredGraph = { id: number; path: string; graph: Buffer; directs: number[] }

/** All entries of a larger file are not read for the few of them that are on the way to something. */
const mostSteps = 5_000

/**
 * How these entries of an inventory come in. Its files are read first, and then the names of what is on the way; `atOnce`, all
 * names are read with them.
 */
export async function pathsInInventory(
  db: Queryable,
  repositoryId: number,
  entries: readonly FileEntry[],
  { atOnce = false } = {},
): Promise<PathTo> {
  const paths = [...new Set(indirect(entries).map((entry) => entry.path))]
  if (paths.length === 0) return nowhere
  const inFiles = sql`l.deployment_id = ${db.deploymentId} and l.repository_id = ${repositoryId} and l.has_graph
    and l.path = any(${paths}::text[])`
  const stepsWhere = (which: Sql) => sql`select l.path, d.ordinal, p.shown_name as name, v.version from lockfile l
    join dependency d on d.deployment_id = l.deployment_id and d.repository_id = l.repository_id and d.lockfile_id = l.id
    join package_version v on v.deployment_id = d.deployment_id and v.id = d.package_version_id
    join package p on p.deployment_id = d.deployment_id and p.id = d.package_id
    where ${inFiles} and d.repository_id = ${repositoryId} and ${which}`
  const [files, steps] = await Promise.all([
    db.query<StoredGraph>(sql`select l.id, l.path,
        l.graph, array(select d.ordinal from dependency d where d.deployment_id = l.deployment_id
          and d.repository_id = l.repository_id and d.lockfile_id = l.id and d.transitivity = 'D') as directs
      from lockfile l where ${inFiles}`),
    atOnce ? db.query<Step & { path: string }>(stepsWhere(sql`l.dependency_count <= ${mostSteps}`)) : [],
  ])
  const stepsOf = Map.groupBy(steps, (step) => step.path)
  const searches: Search[] = []
  for (const { id, path, graph, directs } of files) {
    const find = await shortestWaysFrom(graph, directs)
    const read = (ordinals: Sql) =>
      db.query<Step>(stepsWhere(sql`l.id = ${id} and d.lockfile_id = ${id} and d.ordinal = any(${ordinals})`))
    const known = stepsOf.get(path)
    searches.push({ path, entries: entriesOf(entries, path), find, steps: known ? async () => known : read })
  }
  return written(searches)
}

/** The same in files that are not stored. */
export async function pathsInFiles(
  db: Queryable,
  files: readonly PackedFile[],
  entries: readonly FileEntry[],
): Promise<PathTo> {
  const graphs = files.flatMap(({ path, packed }) => {
    const here = entriesOf(entries, path)
    if (here.length === 0 || packed.graph.length === 0) return []
    const all = packed.batches.map((batch) => sql`select entry.* from ${packedEntries(batch)}`)
    return {
      path,
      entries: here,
      graph: packed.graph,
      directs: packed.batches.flatMap(directsIn),
      among: all.reduce((one, other) => sql`${one} union all ${other}`),
    }
  })
  const searches: Search[] = []
  for (const { path, entries, graph, directs, among } of graphs) {
    const find = await shortestWaysFrom(Buffer.from(graph), directs)
    const steps = (ordinals: Sql) =>
      db.query<Step>(sql`select entry.ordinal, ${shownNameOf(db.deploymentId)} as name, entry.version
        from (${among}) entry where entry.ordinal = any(${ordinals})`)
    searches.push({ path, entries, find, steps })
  }
  return written(searches)
}

/** The numbers of the direct dependencies in a batch. */
function directsIn({ ordinal, transitivity }: EntryColumns): number[] {
  const ordinals = plainElements(ordinal)
  return plainElements(transitivity).flatMap((letter, at) => (letter === 'D' ? [Number(ordinals[at])] : []))
}

const nowhere: PathTo = () => []

function indirect(entries: readonly FileEntry[]): FileEntry[] {
  return entries.filter((entry) => entry.transitivity !== 'D')
}

function entriesOf(entries: readonly FileEntry[], path: string): FileEntry[] {
  return indirect(entries).filter((entry) => entry.path === path)
}

/** Entries of a file whose ways are wanted, and what names the steps of these. */
type Search = {
  path: string
  entries: readonly FileEntry[]
  find: (target: number) => number[] | undefined
  steps: (ordinals: Sql) => Promise<readonly Step[]>
}

/** In one round trip for all files. */
async function written(searches: readonly Search[]): Promise<PathTo> {
  const found = await Promise.all(searches.map(async (search) => [search.path, await writtenIn(search)] as const))
  const ways = new Map(found)
  return (entry) => ways.get(entry.path)?.get(entry.ordinal) ?? []
}

async function writtenIn({ entries, find, steps }: Search): Promise<Map<number, string[]>> {
  const ways = new Map(entries.map(({ ordinal }) => [ordinal, find(ordinal) ?? []]))
  const ordinals = [...new Set([...ways.values()].flat())]
  if (ordinals.length === 0) return new Map()
  const rows = await steps(sql`${ordinals}::integer[]`)
  const names = new Map(rows.map(({ ordinal, name, version }) => [ordinal, `${name} ${version}`.trim()]))
  return new Map([...ways].map(([ordinal, way]) => [ordinal, way.map((step) => names.get(step) ?? '')]))
}
