import { type ReactNode, useState } from 'react'
import { asProblem, type Problem } from '../../api/problem.ts'
import { Button } from '../button.tsx'
import { Input } from '../forms/field.tsx'
import { type Current, type Difference, differencesOf, StaleDelete } from '../stale.tsx'
import { ErrorBox } from '../states.tsx'
import { plainly } from '../text/foreign-text.ts'
import { Dialog } from './dialog.tsx'

type Props = {
  title: string
  /** The verb and what it is done to, as on the button. */
  action: string
  children: ReactNode
  /** Has to be typed first, where very much goes. */
  typed?: string | undefined
  /** Of what has versions: the one that was seen, and a way to see the one that is there now. */
  versions?: { seen: Current; current: () => Promise<Current> }
  /** `ifMatch`: the version that the person has seen. */
  run: (ifMatch: string | undefined) => Promise<unknown>
  onClose: () => void
}

/** For what cannot be undone: says what will happen, then does it and closes, or says why not. Names in it hide nothing. */
export function Confirm({ title, action, children, versions, run, onClose, ...props }: Props) {
  const typed = props.typed === undefined ? undefined : plainly(props.typed)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem>()
  const [text, setText] = useState('')
  // What is read again while the dialog is open is not what the person decided about.
  const [seen, setSeen] = useState(versions?.seen)
  const [differences, setDifferences] = useState<Difference[]>()
  const go = async () => {
    setBusy(true)
    try {
      await run(seen?.etag)
      onClose()
    } catch (error) {
      const found = asProblem(error)
      setProblem(found.status === 412 && versions ? await lookAgain(versions).catch(asProblem) : found)
      setBusy(false)
    }
  }
  const lookAgain = async ({ current }: NonNullable<Props['versions']>) => {
    const now = await current()
    const before = new Map(seen?.fields.map(({ name, value }) => [name, value]))
    setDifferences(differencesOf(now, (name) => before.get(name) ?? ''))
    setSeen(now)
    return undefined
  }
  const why = busy ? 'In progress' : typed !== undefined && plainly(text) !== typed ? `Type ${typed} first.` : undefined
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="stack">{children}</div>
      {typed !== undefined && (
        <Input label={`Type ${typed} to go on`} value={text} onChange={(event) => setText(event.target.value)} />
      )}
      {differences && <StaleDelete differences={differences} />}
      {problem && <ErrorBox problem={problem} />}
      <div className="actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="danger" why={why} onClick={() => void go()}>
          {plainly(action)}
        </Button>
      </div>
    </Dialog>
  )
}
