import type { Sql } from 'sql-template-tag'
import { triageStates } from '../../../domain/triage.ts'
import type { Actor } from '../../../kernel/access/actor.ts'
import { cutPageBy } from '../../../kernel/contract/pagination.ts'
import { readSearchCursor } from '../../../kernel/contract/search-cursor.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { CursorSeal } from '../../../vault/cursor-seal.ts'
import * as codes from '../codes.ts'
import type { IssueCounts, IssueSearch } from '../contract.ts'
import { severities } from '../issue.ts'
import type { IssueRow } from '../store.ts'
import { toIssue } from '../to-wire.ts'
import { choosePlan, type SearchPlan } from './choose-plan.ts'
import { type IssueCriteria, scopesFor } from './conditions.ts'
import * as counters from './count-store.ts'
import type { CellFilter } from './filter.ts'
import { readFilter } from './read-filter.ts'
import { type Order, type Position, search as searchRows } from './search-store.ts'

export type IssueSearcher = ReturnType<typeof createIssueSearch>

export function createIssueSearch(db: Database, cursors: CursorSeal) {
  async function search(actor: Actor, request: IssueSearch) {
    const wanted = readFilter(actor, request.filter ?? {})
    const order: Order = { by: request.sort?.by ?? 'createdAt', direction: request.sort?.direction ?? 'desc' }
    const binding = ['issues', actor.deploymentId, bindingOf(wanted), order.by, order.direction]
    const after = toPosition(readSearchCursor<Written>(cursors, binding, request.cursor, ofAnotherSearch))
    const size = request.pageSize ?? 50
    const scopes = scopesFor(actor, wanted.repositoryIds)
    const way = scopes ? await wayFor(actor, wanted, scopes, size + 1) : 'walk'
    const rows = await searchRows(db.as(actor), actor, wanted, { order, after, scopes, way, limit: size + 1 })
    const { rows: shown, ...page } = cutPageBy(rows, { size }, (last) => cursors.write(binding, written(last, order)))
    return { issues: shown.map((row) => toIssue(actor.deploymentId, row)), ...page }
  }

  async function wayFor(actor: Actor, wanted: IssueCriteria, scopes: Sql, limit: number): Promise<SearchPlan> {
    const {
      cells,
      issues,
      all_cells: allCells,
      all_issues: allIssues,
    } = await counters.extent(db.as(actor), wanted, scopes)
    return choosePlan({ cells, issues, allCells, allIssues }, limit)
  }

  async function count(actor: Actor, filter: CellFilter): Promise<IssueCounts> {
    const counts: IssueCounts = { total: 0, byTriageState: zeros(triageStates), bySeverity: zeros(severities) }
    for (const row of await counters.count(db.as(actor), actor, readFilter(actor, filter))) {
      counts.total += row.count
      counts.byTriageState[codes.state.name(row.triage_state)] += row.count
      counts.bySeverity[codes.severity.name(row.severity)] += row.count
    }
    return counts
  }

  return { search, count }
}

/** The same question however its filter is written down. */
function bindingOf(wanted: IssueCriteria): unknown {
  const sorted = (values?: number[]) => values && [...new Set(values)].sort((a, b) => a - b)
  const { states, reasons, severities, repositoryIds, title, assignees, created, lastDetected } = wanted
  const sets = [states, reasons, severities, repositoryIds].map((values) => sorted(values) ?? null)
  return [
    ...sets,
    title ?? null,
    assignees ?? null,
    created?.since,
    created?.until,
    lastDetected?.since,
    lastDetected?.until,
  ]
}

const ofAnotherSearch = { detail: 'was not issued by this search', boundTo: 'deployment, filter or sort' }

type Written = [severity: number, at: number, id: number]

function written(row: IssueRow, order: Order): Written {
  const at = order.by === 'lastDetectedAt' ? row.last_detected_at : row.created_at
  return [row.severity, at.getTime(), row.id]
}

function toPosition(written: Written | undefined): Position | undefined {
  if (!written) return undefined
  const [severity, at, id] = written
  return { severity, at: new Date(at), id }
}

function zeros<Name extends string>(names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>
}
