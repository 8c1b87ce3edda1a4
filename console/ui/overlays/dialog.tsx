import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react'
import { plainly } from '../text/foreign-text.ts'

/** A native dialog: it traps the focus, closes on Escape and gives the focus back. Names in its title hide nothing. */
export function Dialog(props: { title: string; onClose: () => void; wide?: boolean; children: ReactNode }) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = ref.current!
    const before = document.activeElement
    dialog.showModal()
    // Otherwise it is the first field, also where that is filled in already.
    const first = dialog.querySelector<HTMLElement>('[data-first]')
    if (first) first.focus()
    else if (dialog.scrollTop > 0) focusHeading(dialog)
    return () => {
      dialog.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
      else currentRow()?.focus()
    }
  }, [])
  return (
    <dialog
      ref={ref}
      className={props.wide ? 'dialog wide' : 'dialog'}
      aria-labelledby={id}
      onKeyDown={submitByKey}
      onCancel={(event) => {
        event.preventDefault()
        props.onClose()
      }}
    >
      <div className="inside">
        <h2 id={id}>{plainly(props.title)}</h2>
        {props.children}
      </div>
    </dialog>
  )
}

/** Where the row that it was opened from is gone by what was decided, the next one is current. */
function currentRow(): HTMLElement | null {
  return document.querySelector('main [role=grid] [role=row][tabindex="0"]')
}

/** Ctrl Enter sends, also from a text of many lines. */
function submitByKey(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return
  event.preventDefault()
  ;(event.target as HTMLElement).closest('form')?.requestSubmit()
}

/** Long texts are read from their beginning, though their first button is at the end. */
function focusHeading(dialog: HTMLDialogElement): void {
  const heading = dialog.querySelector('h2')!
  heading.tabIndex = -1
  heading.focus()
}
