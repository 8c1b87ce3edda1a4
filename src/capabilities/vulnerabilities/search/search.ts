import sql, { type Sql } from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Api } from '../../../kernel/contract/api.ts'
import { cutPageBy } from '../../../kernel/contract/pagination.ts'
import { readSearchCursor } from '../../../kernel/contract/search-cursor.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { CursorSeal } from '../../../vault/cursor-seal.ts'
import { type RuleMatch, type RuleSort, searchRules } from '../../findings/public.ts'
import { exploitedAmong } from '../exploited/exploited-store.ts'
import { severityName, severityNames } from '../feeds/codes.ts'
import { source } from '../matching/matching.ts'
import { searchVulnerabilities, type VulnerabilityMatch, type VulnerabilitySearch } from './search-contract.ts'

export function vulnerabilitySearchRoutes(api: Api, search: ReturnType<typeof createVulnerabilitySearch>): void {
  api.serve(searchVulnerabilities, ({ actor, body }) => search(actor, body))
}

type Written = [rank: number[], externalId: string]

export function createVulnerabilitySearch(db: Database, cursors: CursorSeal) {
  return async (actor: Actor, { filter = {}, sort, pageSize = 50, cursor }: VulnerabilitySearch) => {
    const by = (sort?.by ?? 'severity') as RuleSort
    const direction = (sort?.direction ?? (by === 'id' ? 'asc' : 'desc')) as 'asc' | 'desc'
    const binding = ['vulnerabilities', actor.deploymentId, filter, by, direction]
    const after = readSearchCursor<Written>(cursors, binding, cursor)
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
      after: after && { rank: after[0], externalId: after[1] },
      limit: pageSize + 1,
    })
    const { rows: shown, ...page } = cutPageBy(rows, { size: pageSize }, ({ rank, externalId }) =>
      cursors.write(binding, [rank, externalId] satisfies Written),
    )
    const ids = shown.map(({ externalId }) => externalId)
    const exploited = await exploitedAmong(db.as(actor), ids)
    return {
      vulnerabilities: shown.map((row) => toMatch(row, exploited.has(row.externalId))),
      total: rows[0]?.total ?? 0,
      ...page,
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
