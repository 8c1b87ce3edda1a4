import Type from 'typebox'

const defaultSize = 100

/** Query parameters of a list that is read page by page, ordered by id. */
export const pageQuery = {
  pageSize: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, description: 'Most entries a page, 1 to 100; 100 by default' }),
  ),
  cursor: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'The cursor of the page before; 0 or absent starts',
    }),
  ),
}

/** What such a list answers beside its entries. */
export const pageFields = {
  hasMore: Type.Boolean({ description: 'Whether there are entries after this page' }),
  cursor: Type.Integer({ minimum: 0, description: 'Where the next page starts; 0 where this one is empty' }),
}

export type PageRequest = { after: number; size: number }

export function pageRequest(query: { pageSize?: number; cursor?: number }): PageRequest {
  return { after: query.cursor ?? 0, size: query.pageSize ?? defaultSize }
}

/** Cuts a page from rows that were read with one more than its size, to know whether more follow. */
export function cutPage<Row extends { id: number }>(rows: Row[], page: PageRequest) {
  const kept = rows.slice(0, page.size)
  return { rows: kept, hasMore: rows.length > page.size, cursor: kept.at(-1)?.id ?? 0 }
}
