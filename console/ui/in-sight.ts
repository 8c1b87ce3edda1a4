import { type RefObject, useLayoutEffect } from 'react'

/** Where a row of links is longer than the window is wide, the current one is moved into sight. */
export function useCurrentInSight(row: RefObject<HTMLElement | null>, current: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: another current one is what it waits for
  useLayoutEffect(() => {
    const bar = row.current
    const link = bar?.querySelector<HTMLElement>('[aria-current]')
    if (!bar || !link || bar.scrollWidth <= bar.clientWidth) return
    bar.scrollLeft = link.offsetLeft - (bar.clientWidth - link.offsetWidth) / 2
  }, [row, current])
}
