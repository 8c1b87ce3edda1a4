import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { asProblem, type Problem } from '../../api/problem.ts'
import { type Given, signIn, signInWithPasskey } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Input } from '../../ui/forms/field.tsx'
import { ErrorBox, useCountdown } from '../../ui/states.tsx'
import { CodeInput } from './code-input.tsx'
import { PasskeyButton } from './passkey-button.tsx'

/** E-mail and password, then a code where the account has a second factor; or a passkey instead of all of it. */
export function SignInForm({ onDone, email }: { onDone: () => void; email?: string }) {
  const [problem, setProblem] = useState<Problem>()
  const [busy, setBusy] = useState(false)
  const [first, setFirst] = useState<Given>()
  const wait = useCountdown(problem?.retryAfter ?? 0, problem)
  const attempt = async (given: Given) => {
    setBusy(true)
    try {
      await signIn(given)
      onDone()
    } catch (error) {
      const found = asProblem(error)
      const needsMore = found.code === 'second_factor_required'
      if (needsMore) setFirst(given)
      setProblem(needsMore ? undefined : found)
    } finally {
      setBusy(false)
    }
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => String(form.get(name) ?? '')
    void attempt(first ? { ...first, code: text('code') } : { email: text('email'), password: text('password') })
  }
  const startOver = () => {
    setFirst(undefined)
    setProblem(undefined)
  }
  return (
    <form onSubmit={submit} className="form">
      {first ? <CodeInput /> : <PasswordInputs email={email} />}
      {problem && <ErrorBox problem={problem} />}
      <Button type="submit" look="primary" why={busy ? 'Signing in' : wait > 0 ? `Wait ${wait} s.` : undefined}>
        {wait > 0 ? `Sign in (in ${wait} s)` : 'Sign in'}
      </Button>
      <PasskeyButton label="Use a passkey" run={signInWithPasskey} onDone={onDone} onProblem={setProblem} />
      {first && (
        <Button look="plain" onClick={startOver}>
          Start over
        </Button>
      )}
    </form>
  )
}

function PasswordInputs({ email }: { email: string | undefined }) {
  const [capitals, setCapitals] = useState(false)
  const look = (event: KeyboardEvent) => setCapitals(event.getModifierState?.('CapsLock') ?? false)
  return (
    <>
      <Input
        label="E-mail"
        name="email"
        type="email"
        autoComplete="username"
        required
        defaultValue={email}
        readOnly={email !== undefined}
        autoFocus={email === undefined}
      />
      <Input
        label="Password"
        name="password"
        type="password"
        autoComplete="current-password"
        required
        autoFocus={email !== undefined}
        onKeyDown={look}
        onKeyUp={look}
        hint={capitals ? 'Caps Lock is on.' : undefined}
      />
    </>
  )
}
