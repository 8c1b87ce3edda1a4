import { type FormEvent, useState } from 'react'
import { asProblem, type Problem } from '../../api/problem.ts'
import { confirmed, declined, useReauthentication } from '../../api/reauthentication.ts'
import { confirmPassword, confirmWithPasskey, useSessionState } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Input } from '../../ui/forms/field.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { ErrorBox, useCountdown } from '../../ui/states.tsx'
import { CodeInput } from './code-input.tsx'
import { PasskeyButton } from './passkey-button.tsx'
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
  const [password, setPassword] = useState<string>()
  const wait = useCountdown(problem?.retryAfter ?? 0, problem)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const typed = password ?? String(form.get('password'))
    setBusy(true)
    try {
      await confirmPassword({ password: typed, ...(password !== undefined && { code: String(form.get('code')) }) })
      confirmed()
    } catch (error) {
      const found = asProblem(error)
      const needsMore = found.code === 'second_factor_required'
      if (needsMore) setPassword(typed)
      setProblem(needsMore ? undefined : found)
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
    <Dialog title="Confirm that it is you" onClose={declined}>
      <p className="muted">This needs your password again. For five minutes you will not be asked a second time.</p>
      <form className="form" onSubmit={(event) => void submit(event)}>
        <input type="email" name="email" autoComplete="username" hidden readOnly value={session?.person.email ?? ''} />
        {password === undefined ? (
          <Input label="Password" name="password" type="password" autoComplete="current-password" required autoFocus />
        ) : (
          <CodeInput />
        )}
        {problem && <ErrorBox problem={problem} />}
        <div className="actions">
          <Button onClick={declined}>Cancel</Button>
          <PasskeyButton label="Use a passkey" run={confirmWithPasskey} onDone={confirmed} onProblem={setProblem} />
          <Button type="submit" look="primary" why={busy ? 'Being checked' : wait > 0 ? `Wait ${wait} s.` : undefined}>
            {wait > 0 ? `Confirm (in ${wait} s)` : 'Confirm'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
