export type Paged = { hasMore: boolean; cursor: string | number }

/** The server looks at so much for one page and no more. Where it found nothing, and there is more to look at, it is asked to go on. */
export async function pageWithSomething<Page>(from: unknown, read: (cursor: unknown) => Promise<Page>): Promise<Page> {
  for (let cursor = from; ; ) {
    const page = await read(cursor)
    const { hasMore, cursor: next, ...lists } = page as Paged
    if (!hasMore || Object.values(lists).some((list) => Array.isArray(list) && list.length > 0)) return page
    cursor = next
  }
}
