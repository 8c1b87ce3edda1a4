import type { Actor } from '../../kernel/access/actor.ts'
import type { Permission } from '../../kernel/access/permission.ts'
import type { Api } from '../../kernel/contract/api.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { CursorSeal } from '../../vault/cursor-seal.ts'
import { type RepositoryFigures, type RepositorySearch, searchRepositories } from './search-contract.ts'
import * as store from './search-store.ts'
import { toRepository } from './service.ts'

/** What the figures tell of. */
const besides: Permission[] = ['findings:read', 'scans:read', 'dependencies:read', 'teams:read']

export function repositorySearchRoutes(api: Api, search: ReturnType<typeof createRepositorySearch>): void {
  api.serve(searchRepositories, ({ actor, body }) => search(actor, body))
}

export function createRepositorySearch(db: Database, cursors: CursorSeal) {
  return async (actor: Actor, request: RepositorySearch) => {
    const missing = besides.filter((permission) => !actor.permissions.has(permission))
    if (missing.length > 0)
      throw new Fault('forbidden', `The figures of repositories also take: ${missing.join(', ')}.`)
    const { filter = {}, sort, pageSize = 50 } = request
    const by = sort?.by ?? 'name'
    const order: store.Order = { by, direction: sort?.direction ?? (by === 'name' ? 'asc' : 'desc') }
    const binding = ['repositories', actor.deploymentId, bindingOf(filter), order.by, order.direction]
    const after = request.cursor ? readCursor(cursors.read(binding, request.cursor)) : undefined
    const rows = await store.search(db.as(actor), actor, filter, { order, after, limit: pageSize + 1 })
    const shown = rows.slice(0, pageSize)
    const hasMore = rows.length > pageSize
    const last = shown.at(-1)
    return {
      repositories: shown.map(toFigures),
      total: rows[0]?.total ?? 0,
      hasMore,
      cursor: hasMore && last ? cursors.write(binding, [last.rank, last.name]) : '',
    }
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

function readCursor(written: unknown): store.Position {
  if (written === undefined) {
    const errors = [{ pointer: '/cursor', detail: 'is not one that this search answered with' }]
    throw new Fault('validation_failed', 'The cursor belongs to another question, or was edited.', { errors })
  }
  const [rank, name] = written as [number[], string]
  return { rank, name }
}
