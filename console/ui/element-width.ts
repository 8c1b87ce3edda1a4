import { type RefObject, useLayoutEffect, useState } from 'react'

/** How wide an element is, now and whenever that changes. */
export function useElementWidth(ref: RefObject<HTMLElement | null>, atFirst = 0): number {
  const [width, setWidth] = useState(atFirst)
  useLayoutEffect(() => {
    const element = ref.current!
    setWidth(element.clientWidth)
    const watch = new ResizeObserver(() => setWidth(element.clientWidth))
    watch.observe(element)
    return () => watch.disconnect()
  }, [ref])
  return width
}
