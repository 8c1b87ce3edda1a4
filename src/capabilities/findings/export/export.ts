import { writeSarif } from '../../../formats/sarif/writer.ts'
import { type Actor, doneEachTime } from '../../../kernel/access/actor.ts'
import type { Download } from '../../../kernel/contract/api.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { createExportTickets, writeCsv, writeJson } from '../../exports/public.ts'
import { type FindingExport, mediaTypeOf } from '../contract.ts'
import type { Finding } from '../finding.ts'
import type { FindingCriteria } from '../search/conditions.ts'
import { readFilter } from '../search/read-filter.ts'
import { lastId, listAfter } from '../search/search-store.ts'
import { toFinding } from '../to-wire.ts'
import { csvColumns, toCsvRows } from './to-csv.ts'
import { toSarif } from './to-sarif.ts'

const pageSize = 500

/** `publicUrl` is where the console is. */
export function createFindingExport(db: Database, publicUrl: string) {
  async function exportAs(actor: Actor, { format = 'json', filter = {} }: FindingExport): Promise<Download> {
    const wanted = readFilter(actor, filter)
    // The first page before the answer begins, so that what is wrong with the question is answered as such.
    const last = await lastId(db.as(actor))
    const first = await page(actor, wanted, 0, last)
    await db.transaction(doneEachTime(actor), async (tx) =>
      tx.audit({ action: 'findings.export', target: 'findings', detail: { format, filter } }),
    )
    const fileName = `findings.${format}`
    return { mediaType: mediaTypeOf(format), fileName, pieces: write(actor, format, walk(actor, wanted, first, last)) }
  }

  async function page(actor: Actor, wanted: FindingCriteria, after: number, last: number): Promise<Finding[]> {
    const rows = await listAfter(db.as(actor), actor, wanted, { after, last, limit: pageSize })
    return rows.map((row) => toFinding(actor.deploymentId, row))
  }

  /** Page by page, as fast as the reader takes them. */
  async function* walk(
    actor: Actor,
    wanted: FindingCriteria,
    first: Finding[],
    last: number,
  ): AsyncGenerator<Finding[]> {
    for (let findings = first; findings.length > 0; ) {
      yield findings
      if (findings.length < pageSize) return
      findings = await page(actor, wanted, Number(findings.at(-1)!.id), last)
    }
  }

  function write(actor: Actor, format: NonNullable<FindingExport['format']>, pages: AsyncIterable<Finding[]>) {
    if (format === 'csv') return writeCsv(csvColumns, csvPages(actor, pages))
    return format === 'json' ? writeJson('findings', pages) : writeSarif(toSarif(pages))
  }

  async function* csvPages(actor: Actor, pages: AsyncIterable<Finding[]>) {
    for await (const findings of pages) yield await toCsvRows(db.as(actor), publicUrl, findings)
  }

  const tickets = createExportTickets<FindingExport>(db, {
    kind: '',
    pathOf: (deploymentId) => `/api/findings/${deploymentId}/exports`,
    check: (actor, { filter = {} }) => readFilter(actor, filter),
    exportAs,
  })

  return { exportAs, ...tickets }
}
