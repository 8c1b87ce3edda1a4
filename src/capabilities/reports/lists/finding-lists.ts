import type { Actor } from '../../../kernel/access/actor.ts'
import { cutPageBy } from '../../../kernel/contract/pagination.ts'
import { readSearchCursor } from '../../../kernel/contract/search-cursor.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import { type Period, readPeriod } from '../../../kernel/time/time-buckets.ts'
import type { CursorSeal } from '../../../vault/cursor-seal.ts'
import type { FindingIds, FunnelList, GuardrailsList } from '../contract.ts'
import { type CountedState, cellsInState, cellsOfStage, openedStandings } from '../counting/cell.ts'
import type { ReportFilters } from '../scope/filters.ts'
import { scopeOf } from '../scope/scope.ts'
import { list, type Position } from './list-store.ts'

type Question = {
  filters: ReportFilters
  cells: readonly number[]
  bucket?: { since: string; until: string } | undefined
  pageSize?: number | undefined
  cursor?: string | undefined
}

const defaultSize = 100

/** Which findings a number of a report counts. */
export function createFindingLists(db: Database, cursors: CursorSeal, clock: Clock) {
  function behindGuardrails(actor: Actor, { filters = {}, figure, ...page }: GuardrailsList): Promise<FindingIds> {
    return find(actor, { ...page, filters, cells: cellsInState(standingsOf(figure)) })
  }

  function behindFunnel(actor: Actor, { filters = {}, stage, product, ...page }: FunnelList): Promise<FindingIds> {
    return find(actor, { ...page, filters, cells: cellsOfStage(stage, product) })
  }

  async function find(actor: Actor, question: Question): Promise<FindingIds> {
    const { filters, cells, bucket, cursor, pageSize = defaultSize } = question
    const binding = ['report findings', actor.deploymentId, bindingOf(question)]
    const from = toPosition(readSearchCursor<Written>(cursors, binding, cursor, ofAnotherList))
    const pointer = bucket ? '/bucket' : '/filters/timePeriod'
    const wholeDays = !bucket && filters.wholeDays === true
    const period = from?.period ?? readPeriod(bucket ?? filters.timePeriod, clock.now(), pointer, wholeDays)
    const { wanted } = await scopeOf(db.as(actor), actor, filters)
    const rows = await list(db.as(actor), wanted, cells, period, { after: from?.after, limit: pageSize + 1 })
    const { rows: shown, ...page } = cutPageBy(rows, { size: pageSize }, ({ raised_at: at, id }) =>
      cursors.write(binding, written(period, { at, id })),
    )
    return { findingIds: shown.map((row) => String(row.id)), ...page }
  }

  return { behindGuardrails, behindFunnel }
}

function standingsOf(figure: GuardrailsList['figure']): CountedState[] {
  if (figure === 'totalOpened') return openedStandings
  return figure === 'totalFixed' ? ['fixed'] : [figure]
}

/** The same question however it is written down. */
function bindingOf({ filters, bucket, cells }: Question): unknown {
  const { timePeriod, wholeDays = false, archived = null } = filters
  const { projects, projectIds, tags, teams, ruleIds, findingCategories } = filters
  const lists = [projects, projectIds, tags, teams, ruleIds, findingCategories]
  const sets = lists.map((list: readonly string[] = []) => [...new Set(list)].sort())
  return [
    timePeriod?.since ?? null,
    timePeriod?.until ?? null,
    wholeDays,
    bucket?.since ?? null,
    bucket?.until ?? null,
    archived,
    sets,
    cells,
  ]
}

const ofAnotherList = { detail: 'was not issued by this list', boundTo: 'deployment or question' }

/** With the period, because one that ends now is another one by the time of the next page. */
type Written = [since: number, until: number, at: number, id: number]

function written({ since, until }: Period, after: Position): Written {
  return [since.getTime(), until.getTime(), after.at.getTime(), after.id]
}

function toPosition(written: Written | undefined): { period: Period; after: Position } | undefined {
  if (!written) return undefined
  const [since, until, at, id] = written
  return { period: { since: new Date(since), until: new Date(until) }, after: { at: new Date(at), id } }
}
