import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { plainly } from '../text/foreign-text.ts'

/** A native dialog: it traps the focus, closes on Escape and gives the focus back. Names in its title hide nothing. */
export function Dialog(props: { title: string; onClose: () => void; wide?: boolean; children: ReactNode }) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  const typed = useTyped()
  useEffect(() => {
    const dialog = ref.current!
    const before = document.activeElement
    dialog.showModal()
    // Otherwise it is the first field, also where that is filled in already.
    const first = dialog.querySelector<HTMLElement>('[data-first]')
    if (first) first.focus()
    else if (dialog.scrollTop > 0) focusHeading(dialog)
    const reopen = () => reopenFrom(dialog)
    stack.push(dialog)
    dialog.addEventListener('close', reopen)
    return () => {
      dialog.removeEventListener('close', reopen)
      stack.splice(stack.indexOf(dialog), 1)
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
      onInput={typed.note}
      onCancel={(event) => {
        event.preventDefault()
        if (stack.at(-1) === ref.current && !typed.holdsBack()) props.onClose()
      }}
    >
      <div className="inside">
        <h2 id={id}>{plainly(props.title)}</h2>
        {props.children}
        {typed.isAsking && <NotSaved />}
      </div>
    </dialog>
  )
}

/** Those that are open, in the order in which they cover each other. */
const stack: HTMLDialogElement[] = []

/** A second Escape closes it in Chromium, whatever the first was answered, and perhaps one below with it. What is here stays to be seen. */
function reopenFrom(dialog: HTMLDialogElement): void {
  if (dialog.open) return
  for (const each of stack.slice(stack.indexOf(dialog))) {
    each.close()
    each.showModal()
  }
}

/** Escape is pressed by mistake too, or for something else: what somebody typed into a form does not go by one press. */
function useTyped() {
  const fields = useRef(new Set<HTMLInputElement | HTMLTextAreaElement>())
  const [isAsking, setAsking] = useState(false)
  const note = ({ target }: { target: EventTarget }) => {
    setAsking(false)
    if (isText(target) && target.form) fields.current.add(target)
  }
  const holdsBack = () => {
    const isLost = [...fields.current].some((field) => field.isConnected && field.value.trim() !== '')
    setAsking(isLost)
    return isLost && !isAsking
  }
  return { note, holdsBack, isAsking }
}

const notText: readonly string[] = ['checkbox', 'radio', 'file', 'password', 'search']

/** Passwords and codes are typed again, and what is searched for in a list of choices was not meant to stay. */
function isText(target: EventTarget): target is HTMLInputElement | HTMLTextAreaElement {
  if (target instanceof HTMLTextAreaElement) return true
  if (!(target instanceof HTMLInputElement) || notText.includes(target.type)) return false
  return target.autocomplete !== 'one-time-code' && target.getAttribute('role') !== 'combobox'
}

function NotSaved() {
  const ref = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    ref.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  return (
    <p ref={ref} className="banner" role="status">
      What you typed is not saved. Press Escape again to leave it.
    </p>
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
