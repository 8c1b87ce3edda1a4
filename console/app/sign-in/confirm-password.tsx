import { type FormEvent, useState } from 'react'
import { asProblem, type Problem } from '../../api/problem.ts'
import { confirmed, declined, useReauthentication } from '../../api/reauthentication.ts'
import { confirmPassword, useSessionState } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Input } from '../../ui/forms/field.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { ErrorBox, useCountdown } from '../../ui/states.tsx'
import { ProviderAgain } from './provider-again.tsx'

/** Asks for the password once more, over whatever is open, and then the request goes on. */
export function ConfirmPassword() {
  const { asked } = useReauthentication()
  return asked ? <Asking /> : null
}

function Asking() {
  const { session } = useSessionState()
  const [problem, setProblem] = useState<Problem>()
  const [busy, setBusy] = useState(false)
  const wait = useCountdown(problem?.retryAfter ?? 0, problem)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const password = String(new FormData(event.currentTarget).get('password'))
    setBusy(true)
    try {
      await confirmPassword(password)
      confirmed()
    } catch (error) {
      setProblem(asProblem(error))
      setBusy(false)
    }
  }
  const provider = session?.session?.provider
  if (provider) {
    return (
      <Dialog title={`Confirm at ${provider.name}`} onClose={declined}>
        <ProviderAgain about="This needs you to sign in there again. You come back to this page; then do it once more." />
      </Dialog>
    )
  }
  return (
    <Dialog title="Confirm with your password" onClose={declined}>
      <p className="muted">This needs your password again. For five minutes you will not be asked a second time.</p>
      <form className="form" onSubmit={(event) => void submit(event)}>
        <input type="email" name="email" autoComplete="username" hidden readOnly value={session?.person.email ?? ''} />
        <Input label="Password" name="password" type="password" autoComplete="current-password" required autoFocus />
        {problem && <ErrorBox problem={problem} />}
        <div className="actions">
          <Button onClick={declined}>Cancel</Button>
          <Button type="submit" look="primary" why={busy ? 'Being checked' : wait > 0 ? `Wait ${wait} s.` : undefined}>
            {wait > 0 ? `Confirm (in ${wait} s)` : 'Confirm'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
