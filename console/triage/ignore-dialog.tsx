import { type FormEvent, type KeyboardEvent, useRef, useState } from 'react'
import { reasons } from '../findings/filter.ts'
import { Button } from '../ui/button.tsx'
import { Textarea } from '../ui/forms/field.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { plural } from '../ui/text/words.ts'
import type { Decision } from './use-triage.ts'

/** One key alone never ignores: this asks why. 1, 2, 3 choose, n goes to the note; Enter does it, and Ctrl Enter from the note, where Enter is a new line. */
export function IgnoreDialog({
  count,
  onDecide,
  onClose,
  what = 'finding',
  noteless = false,
}: {
  count: number
  what?: string
  /** Decisions about them keep no note. */
  noteless?: boolean
  onDecide: (decision: Decision) => void
  onClose: () => void
}) {
  const [reason, setReason] = useState(0)
  const note = useRef<HTMLDivElement>(null)
  const form = useRef<HTMLFormElement>(null)
  const submit = (event?: FormEvent) => {
    event?.preventDefault()
    const said = note.current?.querySelector('textarea')?.value.trim() ?? ''
    onDecide({ triageState: 'TRIAGE_STATE_IGNORED', triageReason: reasons[reason]!.wire, ...(said && { note: said }) })
    onClose()
  }
  const pressed = (event: KeyboardEvent) => {
    const typing = (event.target as HTMLElement).tagName === 'TEXTAREA'
    if (event.key === 'Enter' && !typing) {
      if ((event.target as HTMLElement).tagName === 'BUTTON') return
      event.preventDefault()
      submit()
    } else if (!typing && ['1', '2', '3'].includes(event.key)) {
      event.preventDefault()
      setReason(Number(event.key) - 1)
    } else if (!typing && !noteless && event.key === 'n') {
      event.preventDefault()
      note.current?.querySelector('textarea')?.focus()
    }
  }
  return (
    <Dialog title={`Ignore ${plural(count, what)}`} onClose={onClose}>
      <form ref={form} className="form" onSubmit={submit} onKeyDown={pressed}>
        <fieldset className="stack tight">
          <legend className="legend">Why?</legend>
          {reasons.map((each, index) => (
            <label key={each.word} className="check">
              <input type="radio" name="reason" checked={index === reason} onChange={() => setReason(index)} />
              <span>{each.label}</span> <kbd>{index + 1}</kbd>
            </label>
          ))}
        </fieldset>
        <div ref={note} hidden={noteless}>
          <Textarea
            label="Note (n)"
            hint="For whoever reads the history. Ctrl Enter sends it."
            maxLength={2_000}
            rows={3}
          />
        </div>
        <div className="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary">
            Ignore {plural(count, what)}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
