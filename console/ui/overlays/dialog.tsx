import { type ReactNode, useEffect, useId, useRef } from 'react'

/** A native dialog: it traps the focus, closes on Escape and gives the focus back. */
export function Dialog(props: { title: string; onClose: () => void; wide?: boolean; children: ReactNode }) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = ref.current!
    const before = document.activeElement
    dialog.showModal()
    if (dialog.scrollTop > 0) focusHeading(dialog)
    return () => {
      dialog.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={ref}
      className={props.wide ? 'dialog wide' : 'dialog'}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        props.onClose()
      }}
    >
      <div className="inside">
        <h2 id={id}>{props.title}</h2>
        {props.children}
      </div>
    </dialog>
  )
}

/** Long texts are read from their beginning, though their first button is at the end. */
function focusHeading(dialog: HTMLDialogElement): void {
  const heading = dialog.querySelector('h2')!
  heading.tabIndex = -1
  heading.focus()
}
