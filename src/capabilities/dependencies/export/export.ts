import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import { toPurl } from '../../../ecosystems/registry.ts'
import { type Actor, doneEachTime } from '../../../kernel/access/actor.ts'
import type { Download } from '../../../kernel/contract/api.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { createExportTickets, writeCsv, writeJson } from '../../exports/public.ts'
import type { Dependency, DependencySearch } from '../contract.ts'
import { conditionsOf } from '../search/conditions.ts'
import { type DependencyExport, mediaTypes } from './export-contract.ts'

type Page = { dependencies: Dependency[]; cursor: string }
type ListDependencies = (actor: Actor, request: DependencySearch) => Promise<Page>

const pageSize = 500

export function createDependencyExport(db: Database, list: ListDependencies) {
  async function exportAs(
    actor: Actor,
    { format = 'json', dependencyFilter = {} }: DependencyExport,
  ): Promise<Download> {
    // The first page before the answer begins, so that what is wrong with the question is answered as such.
    const first = await list(actor, { dependencyFilter, pageSize })
    await db.transaction(doneEachTime(actor), async (tx) =>
      tx.audit({ action: 'dependencies.export', target: 'dependencies', detail: { format, dependencyFilter } }),
    )
    const pieces = writers[format](walk(actor, dependencyFilter, first))
    return { mediaType: mediaTypes[format], fileName: `dependencies.${format}`, pieces }
  }

  /** Page by page, as fast as the reader takes them. */
  async function* walk(
    actor: Actor,
    dependencyFilter: NonNullable<DependencyExport['dependencyFilter']>,
    first: Page,
  ): AsyncGenerator<Dependency[]> {
    for (let page = first; ; page = await list(actor, { dependencyFilter, pageSize, cursor: page.cursor })) {
      yield page.dependencies
      if (page.cursor === '') return
    }
  }

  const tickets = createExportTickets<DependencyExport>(db, {
    kind: 'dependencies',
    pathOf: (deploymentId) => `/api/sca/deployments/${deploymentId}/dependencies/exports`,
    check: (_, { dependencyFilter }) => conditionsOf(dependencyFilter),
    exportAs,
  })

  return { exportAs, ...tickets }
}

type Pages = AsyncIterable<Dependency[]>

const writers = {
  json: (pages: Pages) => writeJson('dependencies', pages),
  csv: (pages: Pages) => writeCsv(csvColumns, withPurls(pages)),
}

/** By which other tools know a package, whatever a spreadsheet does to names that begin with @. */
async function* withPurls(pages: Pages): AsyncGenerator<(Dependency & { purl: string })[]> {
  for await (const page of pages) {
    yield page.map((one) => ({ ...one, purl: toPurl(one.ecosystem as EcosystemId, one.name, one.version) ?? '' }))
  }
}

const csvColumns = [
  'repositoryId',
  'repositoryName',
  'ecosystem',
  'name',
  'version',
  'purl',
  'transitivity',
  'development',
  'license',
  'lockfilePath',
  'line',
  'resolved',
] as const satisfies (keyof Dependency | 'purl')[]
