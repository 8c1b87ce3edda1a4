import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from 'react'

const least = 320
const stored = () => Math.max(least, Number(localStorage.getItem('gatehouse-panel')) || 460)

/** A list and, beside it, the item that is open. The line between them can be moved. */
export function Split({ list, panel, label }: { list: ReactNode; panel: ReactNode | undefined; label: string }) {
  const [width, setWidth] = useState(stored)
  const resize = (next: number) => {
    const fitting = Math.round(Math.max(least, Math.min(next, window.innerWidth * 0.6)))
    setWidth(fitting)
    localStorage.setItem('gatehouse-panel', String(fitting))
  }
  const drag = (event: PointerEvent<HTMLElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return
    const frame = event.currentTarget.parentElement!.getBoundingClientRect()
    resize(frame.right - event.clientX)
  }
  const step = (event: KeyboardEvent) => {
    const by = { ArrowLeft: 24, ArrowRight: -24 }[event.key]
    if (by === undefined) return
    event.preventDefault()
    resize(width + by)
  }
  return (
    <div className={panel ? 'split with-panel' : 'split'}>
      <div className="list">{list}</div>
      {panel && (
        <>
          <div
            role="separator"
            aria-orientation="vertical"
            aria-label="Width of the panel"
            aria-valuenow={width}
            aria-valuemin={least}
            aria-valuemax={1200}
            tabIndex={0}
            className="panel-grip"
            onKeyDown={step}
            onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
            onPointerMove={drag}
          />
          <section className="panel" aria-label={label} style={{ '--panel': `${width}px` } as React.CSSProperties}>
            {panel}
          </section>
        </>
      )}
    </div>
  )
}
