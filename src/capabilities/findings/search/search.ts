import * as names from '../../../domain/wire-names.ts'
import type { Actor } from '../../../kernel/access/actor.ts'
import { readSearchCursor } from '../../../kernel/contract/search-cursor.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { CursorSeal } from '../../../vault/cursor-seal.ts'
import type { FindingCounts, FindingSearch } from '../contract.ts'
import type { FindingRow } from '../store.ts'
import { toFinding } from '../to-wire.ts'
import { withoutNeedlessArchived } from './archived.ts'
import type { FindingCriteria } from './conditions.ts'
import { count as countFindings } from './count-store.ts'
import type { FindingFilter } from './filter.ts'
import { searchByName } from './name-order-store.ts'
import { type Position, pathKey } from './order.ts'
import { readFilter } from './read-filter.ts'
import * as store from './search-store.ts'

export function createFindingSearch(db: Database, cursors: CursorSeal, looks = store.looks) {
  async function search(actor: Actor, request: FindingSearch) {
    const reader = db.as(actor)
    const asked = readFilter(actor, request.filter ?? {})
    const { by = 'raisedAt', direction = 'desc' } = request.sort ?? {}
    const binding = ['findings', actor.deploymentId, bindingOf(asked), by, direction]
    const after = toPosition(readSearchCursor<WrittenPosition>(cursors, binding, request.cursor, ofAnotherSearch))
    const size = request.pageSize ?? 50
    const limit = size + 1
    const wanted = await withoutNeedlessArchived(reader, asked)
    const { rows, lookedUpTo }: store.Found =
      by === 'repository' || by === 'rule'
        ? {
            rows: await searchByName(reader, actor, wanted, {
              order: { by, direction },
              after: after && { ...after, run: after[by] },
              limit,
            }),
          }
        : await store.search(reader, actor, wanted, { order: { by, direction }, after, limit }, looks)
    const shown = rows.slice(0, size)
    const found = shown.map((row) => toFinding(actor.deploymentId, row))
    if (rows.length > size) {
      return { findings: found, hasMore: true, cursor: cursors.write(binding, positionOf(shown.at(-1)!)) }
    }
    // That of a finding that whoever asks may not see.
    const cursor = lookedUpTo ? cursors.writeHidden(binding, placeOf(lookedUpTo)) : ''
    return { findings: found, hasMore: cursor !== '', cursor }
  }

  async function count(actor: Actor, filter: FindingFilter): Promise<FindingCounts> {
    const counts: Omit<FindingCounts, 'atLeast'> = {
      total: 0,
      byTriageState: zeros(names.stateNames.all),
      bySeverity: zeros(names.severityNames.all),
      byProduct: zeros(names.productNames.all),
    }
    const reader = db.as(actor)
    const wanted = await withoutNeedlessArchived(reader, readFilter(actor, filter))
    const { rows, atLeast } = await countFindings(reader, actor, wanted)
    for (const row of rows) {
      counts.total += row.count
      add(counts.byTriageState, names.stateNames.ofCode(row.state), row.count)
      add(counts.bySeverity, names.severityNames.ofCode(row.severity), row.count)
      add(counts.byProduct, names.productNames.ofCode(row.product), row.count)
    }
    return { ...counts, atLeast }
  }

  return { search, count }
}

/** The same question however its filter is written down. */
export function bindingOf(wanted: FindingCriteria): unknown {
  return Object.entries(wanted)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, name === 'not' ? bindingOf(value as FindingCriteria) : plain(value)])
    .sort(([a], [b]) => ((a as string) < (b as string) ? -1 : 1))
}

function plain(value: unknown): unknown {
  return Array.isArray(value) ? [...new Set<string | number>(value)].sort() : value
}

const ofAnotherSearch = { detail: 'was not issued by this search', boundTo: 'deployment, filter or sort' }

type AnyPosition = Position & Record<'repository' | 'rule', { id: number; name: string }>
type WrittenPosition = [number, number, number, number, string, number, string, number, string]

/** Of whatever a page may be sorted by. */
function positionOf(row: FindingRow): WrittenPosition {
  const { severity, raised_at: raised, state_at: changed, id, path, repository_id, repository, rule_id, rule } = row
  return [severity, raised.getTime(), id, changed.getTime(), pathKey(path), repository_id, repository, rule_id, rule]
}

/** Of one that is not shown. Pages that are sorted by names end with one that is. */
function placeOf({ severity, at, id, stateAt, path }: Position): WrittenPosition {
  return [severity, at.getTime(), id, stateAt.getTime(), path, 0, '', 0, '']
}

function toPosition(written: WrittenPosition | undefined): AnyPosition | undefined {
  if (!written) return undefined
  const [severity, at, id, changed, path, repositoryId, repository, ruleId, rule] = written
  return {
    severity,
    at: new Date(at),
    stateAt: new Date(changed),
    path,
    id,
    repository: { id: repositoryId, name: repository },
    rule: { id: ruleId, name: rule },
  }
}

function zeros(all: readonly string[]): Record<string, number> {
  return Object.fromEntries(all.map((name) => [name, 0]))
}

function add(counts: Record<string, number>, name: string, more: number): void {
  counts[name] = (counts[name] ?? 0) + more
}
