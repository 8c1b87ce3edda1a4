import sql, { type Sql } from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Api } from '../../../kernel/contract/api.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { CursorSeal } from '../../../vault/cursor-seal.ts'
import { type RuleMatch, type RulePosition, type RuleSort, searchRules } from '../../findings/public.ts'
import { exploitedAmong } from '../exploited/exploited-store.ts'
import { severityName, severityNames } from '../feeds/codes.ts'
import { source } from '../matching/matching.ts'
import { searchVulnerabilities, type VulnerabilityMatch, type VulnerabilitySearch } from './search-contract.ts'

export function vulnerabilitySearchRoutes(api: Api, search: ReturnType<typeof createVulnerabilitySearch>): void {
  api.serve(searchVulnerabilities, ({ actor, body }) => search(actor, body))
}

export function createVulnerabilitySearch(db: Database, cursors: CursorSeal) {
  return async (actor: Actor, { filter = {}, sort, pageSize = 50, cursor }: VulnerabilitySearch) => {
    const by = (sort?.by ?? 'severity') as RuleSort
    const direction = (sort?.direction ?? (by === 'id' ? 'asc' : 'desc')) as 'asc' | 'desc'
    const binding = ['vulnerabilities', actor.deploymentId, filter, by, direction]
    const rows = await searchRules(db.as(actor), actor, {
      source,
      repositoryId: filter.repositoryId,
      text: filter.text?.toLowerCase(),
      severities: filter.severities?.map((name) => severityNames.indexOf(name) + 1),
      ecosystems: filter.ecosystems,
      dependency: filter.package?.toLowerCase(),
      published: publishedAt,
      publishedSince: filter.publishedSince ? new Date(filter.publishedSince) : undefined,
      order: { by, direction },
      after: cursor ? readCursor(cursors.read(binding, cursor)) : undefined,
      limit: pageSize + 1,
    })
    const shown = rows.slice(0, pageSize)
    const hasMore = rows.length > pageSize
    const last = shown.at(-1)
    const ids = shown.map(({ externalId }) => externalId)
    const exploited = await exploitedAmong(db.as(actor), ids)
    return {
      vulnerabilities: shown.map((row) => toMatch(row, exploited.has(row.externalId))),
      total: rows[0]?.total ?? 0,
      hasMore,
      cursor: hasMore && last ? cursors.write(binding, [last.rank, last.externalId]) : '',
    }
  }
}

/** When the first database had it. */
function publishedAt(id: Sql): Sql {
  return sql`(select min(record.published_at) from vulnerability record where record.ids @> array[${id}])`
}

function toMatch(row: RuleMatch, exploited: boolean): VulnerabilityMatch {
  return {
    id: row.externalId,
    title: row.title,
    severity: severityName(row.severity),
    exploited,
    findingCount: row.findings,
    repositoryCount: row.repositories,
    publishedAt: row.publishedAt?.toISOString() ?? null,
    packages: row.dependencies.map(({ ecosystem, name }) => ({ ecosystem, name })),
  }
}

function readCursor(written: unknown): RulePosition {
  if (written === undefined) {
    const errors = [{ pointer: '/cursor', detail: 'is not one that this search answered with' }]
    throw new Fault('validation_failed', 'The cursor belongs to another question, or was edited.', { errors })
  }
  const [rank, externalId] = written as [number[], string]
  return { rank, externalId }
}
