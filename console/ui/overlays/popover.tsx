import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react'

type Props = { anchor: HTMLElement | null; onClose: () => void; label: string; role?: string; children: ReactNode }

/** Something small that floats beside what opened it, above everything, until one looks elsewhere. */
export function Popover({ anchor, onClose, label, role = 'dialog', children }: Props) {
  const ref = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const box = ref.current!
    box.showPopover()
    const place = () => {
      if (!anchor) return
      const at = anchor.getBoundingClientRect()
      const below = window.innerHeight - at.bottom > box.offsetHeight + 12 || at.top < box.offsetHeight + 12
      box.style.top = `${below ? Math.min(at.bottom + 4, window.innerHeight - 60) : at.top - box.offsetHeight - 4}px`
      box.style.left = `${Math.max(8, Math.min(at.left, window.innerWidth - box.offsetWidth - 8))}px`
    }
    place()
    // Nothing in it could have the focus before it was shown.
    if (!box.contains(document.activeElement)) box.querySelector<HTMLElement>('input')?.focus({ preventScroll: true })
    const resized = new ResizeObserver(place)
    resized.observe(box)
    window.addEventListener('resize', place)
    return () => {
      resized.disconnect()
      window.removeEventListener('resize', place)
      if (box.contains(document.activeElement)) anchor?.focus()
    }
  }, [anchor])
  useEffect(() => {
    // By pointer or by Tab: left open it would cover what comes next, and keep the keys of the page from working.
    const outside = (event: Event) => {
      const target = event.target as Node
      if (!ref.current?.contains(target) && !anchor?.contains(target)) onClose()
    }
    for (const name of ['pointerdown', 'focusin']) document.addEventListener(name, outside)
    return () => {
      for (const name of ['pointerdown', 'focusin']) document.removeEventListener(name, outside)
    }
  }, [anchor, onClose])
  return (
    <div
      ref={ref}
      popover="manual"
      className="popover fade"
      role={role}
      aria-label={label}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        onClose()
        anchor?.focus()
      }}
    >
      {children}
    </div>
  )
}
