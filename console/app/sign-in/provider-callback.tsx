import { useEffect, useState } from 'react'
import { call } from '../../api/call.ts'
import type { Answer } from '../../api/contracts.ts'
import { asProblem, type Problem } from '../../api/problem.ts'
import { loadSession } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { useTitle } from '../../ui/page.tsx'
import { ErrorBox, Waiting } from '../../ui/states.tsx'
import { Foreign } from '../../ui/text/foreign.tsx'
import { go } from '../address/location.ts'
import { SignInForm } from './sign-in-form.tsx'

type Finished = Answer<'finishProviderSignIn'>

/** Where a provider sends the browser back to. The code works once, so it is taken out of the address at once. */
export function ProviderCallback({ id }: { id: string }) {
  useTitle('Sign in')
  const [parameters] = useState(() => location.search)
  const [asked, setAsked] = useState<Finished>()
  const [problem, setProblem] = useState<Problem>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a code can be sent only once
  useEffect(() => {
    go(`/sign-in/callback/${id}`, { replace: true })
    call('finishProviderSignIn', { params: { providerId: Number(id) }, body: { parameters: parameters || '?' } })
      .then(async (finished) => {
        if (finished.outcome === 'confirm') return setAsked(finished)
        await loadSession()
        go(finished.returnTo, { replace: true })
      })
      .catch((error: unknown) => setProblem(asProblem(error)))
  }, [])
  const confirm = async () => {
    try {
      const { returnTo } = await call('confirmProviderLink', {})
      await loadSession()
      go(returnTo, { replace: true })
    } catch (error) {
      setProblem(asProblem(error))
    }
  }
  return (
    <main className="sign-in">
      <div className="box">
        <h1 tabIndex={-1}>{asked ? 'Is this your account?' : 'Sign in'}</h1>
        {problem && <ErrorBox problem={problem} />}
        {asked && !problem && (
          <>
            <p>
              <Foreign text={asked.provider} /> vouches for <Foreign text={asked.email} />, and this address already has
              an account here. Sign in to it with its password, and from then on you can also come by{' '}
              <Foreign text={asked.provider} />.
            </p>
            <SignInForm email={asked.email} onDone={() => void confirm()} />
          </>
        )}
        {!asked && !problem && <Waiting />}
        {problem && <Button onClick={() => go('/sign-in', { replace: true })}>Back to the sign-in page</Button>}
      </div>
    </main>
  )
}
