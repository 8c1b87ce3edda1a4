import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import { asProblem, type Problem } from '../../api/problem.ts'
import { Button } from '../button.tsx'
import { Dialog } from '../overlays/dialog.tsx'
import { type Current, differencesOf, Stale } from '../stale.tsx'
import { ErrorBox } from '../states.tsx'

/** The texts of a form by their names, without blanks around them; secrets as they were typed. */
export type Texts = {
  text(name: string): string
  secret(name: string): string
  texts(name: string): string[]
  has(name: string): boolean
}

function textsOf(form: FormData): Texts {
  const clean = (value: FormDataEntryValue) => String(value).trim()
  return {
    text: (name) => clean(form.get(name) ?? ''),
    secret: (name) => String(form.get(name) ?? ''),
    texts: (name) => form.getAll(name).map(clean),
    has: (name) => form.has(name),
  }
}

type Props = {
  title: string
  action: string
  wide?: boolean
  /** The version of what is changed. */
  etag?: string | undefined
  /** `ifMatch`: the version that the person began with, or the one they chose to save over. */
  run: (texts: Texts, ifMatch: string | undefined) => Promise<unknown>
  /** What is there now, where somebody else was faster. */
  current?: () => Promise<Current>
  onClose: () => void
  /** Drawn with what the server said about a field, by the end of its pointer. */
  children: (about: (pointer: string) => string | undefined) => ReactNode
}

/** A form over the page. It closes when what it asks for is done, and stays with what was typed when it is not. */
export function FormDialog({ title, action, wide, etag, run, current, onClose, children }: Props) {
  // What is read again while the dialog is open is not what the person began with.
  const [begun] = useState(etag)
  const form = useRef<HTMLFormElement>(null)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem>()
  const [conflict, setConflict] = useState<{ texts: Texts; now: Current }>()
  const attempt = async (ifMatch: string | undefined) => {
    if (busy || !form.current?.reportValidity()) return
    const texts = textsOf(new FormData(form.current))
    setBusy(true)
    try {
      await run(texts, ifMatch)
      onClose()
    } catch (error) {
      const found = asProblem(error)
      const now = found.status === 412 && current ? await current().catch(() => undefined) : undefined
      setConflict(now && { texts, now })
      setProblem(now ? undefined : found)
      setBusy(false)
    }
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    void attempt(begun)
  }
  return (
    <Dialog title={title} onClose={onClose} wide={wide ?? false}>
      <form className="form" onSubmit={submit} ref={form}>
        {children((pointer) => problem?.about(pointer))}
        {problem && <ErrorBox problem={problem} />}
        {conflict && (
          <Stale
            differences={differencesOf(conflict.now, conflict.texts.text)}
            onTheirs={onClose}
            onMine={() => void attempt(conflict.now.etag)}
          />
        )}
        <div className="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" why={busy ? 'In progress' : undefined}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
