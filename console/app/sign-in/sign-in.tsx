import { useState } from 'react'
import { Icon } from '../../ui/icons.tsx'
import { useTitle } from '../../ui/page.tsx'
import { Forgotten } from './forgotten.tsx'
import { ProviderButtons } from './provider-buttons.tsx'
import { SignInForm } from './sign-in-form.tsx'

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
        <Forgotten />
        {location.protocol === 'http:' && !loopback && (
          <p className="banner">This connection is not encrypted: others on the network can read your password.</p>
        )}
        {loopback && (
          <p className="small muted">
            After the first start, e-mail and password are on the terminal and in <code>first-sign-in.txt</code> in the
            data folder: <code>GATEHOUSE_DATA</code>, or <code>.gatehouse</code> where that is not set.
          </p>
        )}
      </div>
    </main>
  )
}
