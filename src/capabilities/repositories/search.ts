import type { Actor } from '../../kernel/access/actor.ts'
import type { Permission } from '../../kernel/access/permission.ts'
import type { Api } from '../../kernel/contract/api.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { cutPageBy } from '../../kernel/contract/pagination.ts'
import { readSearchCursor } from '../../kernel/contract/search-cursor.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { CursorSeal } from '../../vault/cursor-seal.ts'
import { type RepositoryFigures, type RepositorySearch, searchRepositories } from './search-contract.ts'
import * as store from './search-store.ts'
import { toRepository } from './service.ts'

/** What the figures are about. */
const besides: Permission[] = ['findings:read', 'scans:read', 'dependencies:read', 'teams:read']

export function repositorySearchRoutes(api: Api, search: ReturnType<typeof createRepositorySearch>): void {
  api.serve(searchRepositories, ({ actor, body }) => search(actor, body))
}

type Written = [rank: number[], name: string]

export function createRepositorySearch(db: Database, cursors: CursorSeal) {
  return async (actor: Actor, request: RepositorySearch) => {
    const missing = besides.filter((permission) => !actor.permissions.has(permission))
    if (missing.length > 0)
      throw new Fault('forbidden', `Figures about repositories also need the permissions: ${missing.join(', ')}.`)
    const { filter = {}, sort, pageSize = 50 } = request
    const by = sort?.by ?? 'name'
    const order: store.Order = { by, direction: sort?.direction ?? (by === 'name' ? 'asc' : 'desc') }
    const binding = ['repositories', actor.deploymentId, bindingOf(filter), order.by, order.direction]
    const written = readSearchCursor<Written>(cursors, binding, request.cursor)
    const after = written && { rank: written[0], name: written[1] }
    const rows = await store.search(db.as(actor), actor, filter, { order, after, limit: pageSize + 1 })
    const { rows: shown, ...page } = cutPageBy(rows, { size: pageSize }, ({ rank, name }) =>
      cursors.write(binding, [rank, name] satisfies Written),
    )
    return { repositories: shown.map(toFigures), total: rows[0]?.total ?? 0, ...page }
  }
}

function toFigures(row: store.FigureRow): RepositoryFigures {
  const { info, low, medium, high, critical } = row
  return {
    ...toRepository(row),
    open: info + low + medium + high + critical,
    openBySeverity: {
      SEVERITY_INFO: info,
      SEVERITY_LOW: low,
      SEVERITY_MEDIUM: medium,
      SEVERITY_HIGH: high,
      SEVERITY_CRITICAL: critical,
    },
    dependencies: row.dependencies,
    lastScan: row.scan_id === null ? null : { id: row.scan_id, at: row.scan_at!.toISOString() },
    blockedPullRequests: row.blocked,
    teams: row.teams,
  }
}

/** The same question however its filter is written down. */
function bindingOf(filter: object): unknown {
  return Object.entries(filter)
    .map(([name, value]) => [name, Array.isArray(value) ? [...new Set<string>(value)].sort() : value])
    .sort(([a], [b]) => ((a as string) < (b as string) ? -1 : 1))
}
