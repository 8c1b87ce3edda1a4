import { type ReactNode, useState } from 'react'
import { asProblem, type Problem } from '../../api/problem.ts'
import { Button } from '../button.tsx'
import { Input } from '../forms/field.tsx'
import { ErrorBox } from '../states.tsx'
import { Dialog } from './dialog.tsx'

type Props = {
  title: string
  /** The verb and what it is done to, as on the button. */
  action: string
  children: ReactNode
  /** Has to be typed first, where very much goes. */
  typed?: string | undefined
  run: () => Promise<unknown>
  onClose: () => void
}

/** For what cannot be undone: says what will happen, then does it and closes, or says why not. */
export function Confirm({ title, action, children, typed, run, onClose }: Props) {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem>()
  const [text, setText] = useState('')
  const go = async () => {
    setBusy(true)
    try {
      await run()
      onClose()
    } catch (error) {
      setProblem(asProblem(error))
      setBusy(false)
    }
  }
  const why = busy ? 'In progress' : typed !== undefined && text !== typed ? `Type ${typed} first.` : undefined
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="stack">{children}</div>
      {typed !== undefined && (
        <Input label={`Type ${typed} to go on`} value={text} onChange={(event) => setText(event.target.value)} />
      )}
      {problem && <ErrorBox problem={problem} />}
      <div className="actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="danger" why={why} onClick={() => void go()}>
          {action}
        </Button>
      </div>
    </Dialog>
  )
}
