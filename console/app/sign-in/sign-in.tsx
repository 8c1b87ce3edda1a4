import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { asProblem, type Problem } from '../../api/problem.ts'
import { signIn } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Input } from '../../ui/forms/field.tsx'
import { Icon } from '../../ui/icons.tsx'
import { useTitle } from '../../ui/page.tsx'
import { ErrorBox, useCountdown } from '../../ui/states.tsx'
import { ProviderButtons } from './provider-buttons.tsx'

/** The form alone; the server's own sentence says what is wrong. */
export function SignInForm({ onDone, email }: { onDone: () => void; email?: string }) {
  const [problem, setProblem] = useState<Problem>()
  const [busy, setBusy] = useState(false)
  const [capitals, setCapitals] = useState(false)
  const wait = useCountdown(problem?.retryAfter ?? 0, problem)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    setBusy(true)
    try {
      await signIn(String(form.get('email')), String(form.get('password')))
      onDone()
    } catch (error) {
      setProblem(asProblem(error))
    } finally {
      setBusy(false)
    }
  }
  const look = (event: KeyboardEvent) => setCapitals(event.getModifierState?.('CapsLock') ?? false)
  return (
    <form onSubmit={(event) => void submit(event)} className="form">
      <Input
        label="E-mail"
        name="email"
        type="email"
        autoComplete="username"
        required
        defaultValue={email}
        readOnly={email !== undefined}
      />
      <Input
        label="Password"
        name="password"
        type="password"
        autoComplete="current-password"
        required
        onKeyDown={look}
        onKeyUp={look}
        hint={capitals ? 'Caps Lock is on.' : undefined}
      />
      {problem && <ErrorBox problem={problem} />}
      <Button type="submit" look="primary" why={busy ? 'Signing in' : wait > 0 ? `Wait ${wait} s.` : undefined}>
        {wait > 0 ? `Sign in (in ${wait} s)` : 'Sign in'}
      </Button>
    </form>
  )
}

export function SignInPage({ onDone, next }: { onDone: () => void; next: string | undefined }) {
  useTitle('Sign in')
  const [domain, setDomain] = useState('')
  const noteDomain = ({ target }: { target: EventTarget }) => {
    const input = target as HTMLInputElement
    if (input.name === 'email') setDomain(/@([^@\s]+\.[^@\s]+)$/.exec(input.value)?.[1] ?? '')
  }
  const loopback = ['localhost', '127.0.0.1', '[::1]'].includes(location.hostname)
  return (
    <main className="sign-in">
      <div className="box">
        <span className="brand">
          <Icon name="gate" size={20} /> Gatehouse
        </span>
        <h1 tabIndex={-1}>Sign in</h1>
        <div onInput={noteDomain}>
          <SignInForm onDone={onDone} />
        </div>
        <ProviderButtons domain={domain} returnTo={next} />
        {location.protocol === 'http:' && !loopback && (
          <p className="banner">This connection is not encrypted: others on the network can read your password.</p>
        )}
        <p className="small muted">
          After the first start, e-mail and password are on the terminal and in{' '}
          <code>.gatehouse/first-sign-in.txt</code>.
        </p>
      </div>
    </main>
  )
}
