import { type FormEvent, useState, useSyncExternalStore } from 'react'
import { asProblem, Problem } from '../../api/problem.ts'
import { confirmPassword } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Input } from '../../ui/forms/field.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { ErrorBox } from '../../ui/states.tsx'

type Waiting = { resolve(): void; reject(error: Problem): void; problem: Problem }
const listeners = new Set<() => void>()
let waiting: Waiting | undefined

function set(next: Waiting | undefined): void {
  waiting = next
  for (const listener of listeners) listener()
}

/** Something dangerous: where the server wants the password first, it is asked for, and the request is repeated. */
export async function withPassword<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'reauthentication_required') throw error
    await new Promise<void>((resolve, reject) => set({ resolve, reject, problem: error }))
    return run()
  }
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function PasswordAgain() {
  const asked = useSyncExternalStore(subscribe, () => waiting)
  const [problem, setProblem] = useState<Problem>()
  if (!asked) return null
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    try {
      await confirmPassword(String(new FormData(event.currentTarget).get('password')))
      setProblem(undefined)
      set(undefined)
      asked.resolve()
    } catch (error) {
      setProblem(asProblem(error))
    }
  }
  const close = () => {
    set(undefined)
    setProblem(undefined)
    asked.reject(asked.problem)
  }
  return (
    <Dialog title="Your password, please" onClose={close}>
      <form className="form" onSubmit={(event) => void submit(event)}>
        <p className="muted">{asked.problem.message}</p>
        <Input label="Password" name="password" type="password" autoComplete="current-password" required />
        {problem && <ErrorBox problem={problem} />}
        <div className="actions">
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" look="primary">
            Go on
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
