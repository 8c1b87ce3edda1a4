import * as codes from '../../../domain/finding-codes.ts'
import * as names from '../../../domain/wire-names.ts'
import type { Actor } from '../../../kernel/access/actor.ts'
import { cutPageBy } from '../../../kernel/contract/pagination.ts'
import { readSearchCursor } from '../../../kernel/contract/search-cursor.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { CursorSeal } from '../../../vault/cursor-seal.ts'
import { withoutNeedlessArchived } from './archived.ts'
import { countValues, type FacetRow } from './facet-store.ts'
import type { FindingFilter } from './filter.ts'
import type { Facet, FacetField, FacetRequest, FindingGroup, Grouping, GroupRequest } from './group-contract.ts'
import * as store from './group-store.ts'
import { readFilter } from './read-filter.ts'
import { bindingOf } from './search.ts'

/** The names for the numbers in the tables, of fields that have some. */
const coded: Partial<Record<FacetField, (code: number) => string>> = {
  triageStates: names.stateNames.ofCode,
  triageReasons: names.reasonNames.ofCode,
  severities: names.severityNames.ofCode,
  products: names.productNames.ofCode,
  confidences: names.confidenceNames.ofCode,
  reachabilities: names.reachabilityNames.ofCode,
  validities: names.validityNames.ofCode,
  categories: codes.category.word,
  decidedBy: names.deciderNames.ofCode,
}

/** Findings by what they have in common. */
export function createFindingGroups(db: Database, cursors: CursorSeal) {
  async function facets(actor: Actor, request: FacetRequest): Promise<{ facets: Facet[] }> {
    const wanted = await withoutNeedlessArchived(db.as(actor), readFilter(actor, request.filter ?? {}))
    const { contains, limit = 20 } = request
    const count = async (field: FacetField): Promise<Facet> => {
      const name = coded[field]
      const page = name ? { contains: undefined, limit: undefined } : { contains, limit: limit + 1 }
      const rows = await countValues(db.as(actor), actor, field, wanted, page)
      const shown = name ? named(rows, name, contains) : rows
      return { field, values: shown.slice(0, limit), hasMore: shown.length > limit }
    }
    return { facets: await Promise.all([...new Set(request.fields)].map(count)) }
  }

  async function groups(actor: Actor, request: GroupRequest) {
    const { by, sort: order = 'severity', pageSize = 50 } = request
    const wanted = readFilter(actor, request.filter ?? {})
    const binding = ['finding groups', actor.deploymentId, bindingOf(wanted), by, order]
    const after = toPosition(readSearchCursor<Written>(cursors, binding, request.cursor))
    const rows = await store.listGroups(db.as(actor), actor, wanted, { by, order, after, limit: pageSize + 1 })
    const { rows: shown, ...page } = cutPageBy(rows, { size: pageSize }, (last) =>
      cursors.write(binding, written(last)),
    )
    return { groups: shown.map((row) => toGroup(by, row)), ...page }
  }

  return { facets, groups }
}

function named(rows: readonly FacetRow[], name: (code: number) => string, contains: string | undefined): FacetRow[] {
  const all = rows.map((row) => ({ ...row, value: name(Number(row.value)) }))
  return contains === undefined ? all : all.filter(({ value }) => value.toLowerCase().includes(contains.toLowerCase()))
}

function toGroup(by: Grouping, row: store.GroupRow): FindingGroup {
  return {
    value: row.value,
    label: row.label,
    filter: filterOf(by, row),
    total: row.total,
    worstSeverity: names.severityNames.ofCode(row.worst),
    bySeverity: countsOf(row.severities, names.severityNames.ofCode),
    byTriageState: countsOf(row.states, names.stateNames.ofCode),
    repositories: row.repositories,
    oldestRaisedAt: row.oldest.toISOString(),
  }
}

function filterOf(by: Grouping, { value, label }: store.GroupRow): FindingFilter {
  if (by === 'rule') return { ruleIds: [value] }
  if (by === 'vulnerability') return { firstVulnerabilityIds: [value] }
  if (by === 'repository') return { repositories: [value] }
  if (by === 'path') return { paths: [value] }
  return { dependency: { name: value, ecosystem: label } }
}

function countsOf(numbers: readonly number[], name: (code: number) => string): Record<string, number> {
  return Object.fromEntries(numbers.map((number, at) => [name(at + 1), Number(number)]))
}

type Written = [worst: number, total: number, oldest: number, value: string, label: string]

function written({ worst, total, oldest, value, label }: store.GroupRow): Written {
  return [worst, total, oldest.getTime(), value, label]
}

function toPosition(written: Written | undefined): store.GroupPosition | undefined {
  if (!written) return undefined
  const [worst, total, oldest, value, label] = written
  return { worst, total, oldest: new Date(oldest), value, label }
}
