import Type from 'typebox'
import { named } from './schema.ts'

const defaultSize = 100

const PageSize = named(
  'PageSize',
  Type.Integer({ minimum: 1, maximum: 100, description: 'Most entries a page, 1 to 100; 100 by default' }),
)
const cursorText = { maxLength: 4000, description: 'The cursor of the page before; empty or absent starts' }
export const Cursor = named('Cursor', Type.String(cursorText))

/** A cursor that is a number behind the scenes, up to `most`: callers see a text like any other. */
export function NumberCursor(most = Number.MAX_SAFE_INTEGER) {
  return named('Cursor', Type.Unsafe<number>({ type: 'string', ...cursorText, 'x-number': most }))
}

/** What a list that is read page by page takes: in the query, or, where the request has one, in its body. */
export const pageQuery = { pageSize: Type.Optional(PageSize), cursor: Type.Optional(NumberCursor()) }

/** The same for a search, whose cursor belongs to its question. */
export const searchPage = {
  pageSize: Type.Optional({ ...PageSize, description: 'Most entries a page, 1 to 100; 50 by default' }),
  cursor: Type.Optional(Cursor),
}

/** What such a list answers beside its entries. */
export const pageFields = {
  hasMore: named('HasMore', Type.Boolean({ description: 'Whether there are entries after this page' })),
  cursor: named('NextCursor', Type.String({ description: 'Where the next page starts; empty on the last one' })),
}

export type PageRequest = { after: number; size: number }

export function pageRequest(query: { pageSize?: number; cursor?: number }): PageRequest {
  return { after: query.cursor ?? 0, size: query.pageSize ?? defaultSize }
}

/** Cuts a page from rows that were read with one more than its size, to know whether more follow. */
export function cutPage<Row extends { id: number }>(rows: Row[], page: { size: number }) {
  return cutPageBy(rows, page, (row) => row.id)
}

/** The same for rows that are ordered by something else. */
export function cutPageBy<Row>(rows: Row[], { size }: { size: number }, positionOf: (last: Row) => number | string) {
  const kept = rows.slice(0, size)
  const hasMore = rows.length > size
  return { rows: kept, hasMore, cursor: hasMore ? String(positionOf(kept.at(-1)!)) : '' }
}
