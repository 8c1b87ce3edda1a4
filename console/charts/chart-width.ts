import { type RefObject, useLayoutEffect, useState } from 'react'

/** How wide a chart may be drawn, as wide as what it is in. */
export function useChartWidth(ref: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(640)
  useLayoutEffect(() => {
    const element = ref.current!
    setWidth(element.clientWidth)
    const watch = new ResizeObserver(() => setWidth(element.clientWidth))
    watch.observe(element)
    return () => watch.disconnect()
  }, [ref])
  return width
}
