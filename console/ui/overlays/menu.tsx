import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from '../button.tsx'
import { Popover } from './popover.tsx'

export type MenuItem = {
  label: string
  run?: () => void
  href?: string
  download?: string
  why?: string | undefined
  key?: string
}

/** A button that opens a list of things to do. */
export function Menu({ label, items, children }: { label: string; items: MenuItem[]; children: ReactNode }) {
  const [open, setOpen] = useState(false)
  const button = useRef<HTMLSpanElement>(null)
  const close = () => setOpen(false)
  return (
    <span ref={button}>
      <Button aria-haspopup="menu" aria-expanded={open} aria-label={label} onClick={() => setOpen(!open)}>
        {children}
      </Button>
      {open && (
        <Popover anchor={button.current?.querySelector('button') ?? null} onClose={close} label={label} role="menu">
          <Items items={items} onDone={close} />
        </Popover>
      )}
    </span>
  )
}

function Items({ items, onDone }: { items: MenuItem[]; onDone: () => void }) {
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => ref.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus(), [])
  const move = (event: KeyboardEvent) => {
    const all = [...(ref.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])]
    const at = all.indexOf(document.activeElement as HTMLElement)
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    all.at(to % all.length)?.focus()
  }
  return (
    <div className="inside" ref={ref} onKeyDown={move} role="presentation">
      <div role="presentation">
        {items.map((item) => (
          <button
            key={item.label}
            type="button"
            role="menuitem"
            tabIndex={-1}
            className="menu-item"
            title={item.why}
            aria-disabled={item.why ? true : undefined}
            onClick={() => {
              if (item.why) return
              onDone()
              item.run?.()
            }}
          >
            {item.label}
            {item.key && <kbd className="push">{item.key}</kbd>}
          </button>
        ))}
      </div>
    </div>
  )
}
