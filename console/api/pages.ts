export type Paged = { hasMore: boolean; cursor: string | number }

/**
 * The server looks at so much for one page and no more. Where it found nothing, and there is more to look at, it is asked to go on; how often
 * it was is told meanwhile.
 */
export async function pageWithSomething<Page>(
  from: unknown,
  read: (cursor: unknown) => Promise<Page>,
  tell: (passed: number) => void = () => {},
): Promise<Page> {
  try {
    for (let cursor = from, passed = 1; ; passed++) {
      const page = await read(cursor)
      const { hasMore, cursor: next, ...lists } = page as Paged
      if (!hasMore || Object.values(lists).some((list) => Array.isArray(list) && list.length > 0)) return page
      cursor = next
      tell(passed)
    }
  } finally {
    tell(0)
  }
}

const passedBy = new Map<string, number>()
const listeners = new Set<() => void>()

/** How many pages without anything a search that is under way has passed over, by its operation. */
export const passedPages = {
  of: (id: string) => passedBy.get(id) ?? 0,
  tell(id: string, passed: number) {
    passedBy.set(id, passed)
    for (const listener of listeners) listener()
  },
  subscribe(listener: () => void) {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  },
}
