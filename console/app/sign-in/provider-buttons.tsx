import { useEffect, useState } from 'react'
import { call } from '../../api/call.ts'
import type { Answer } from '../../api/contracts.ts'
import { asProblem, type Problem } from '../../api/problem.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorBox } from '../../ui/states.tsx'

type Provider = Answer<'listProviderButtons'>['providers'][number]

/** Leaves for the provider, and comes back to where one is, or to where one wanted to go. */
export async function leaveFor(provider: Provider, wanted: { returnTo?: string; confirms?: boolean }): Promise<void> {
  const { url } = await call('startProviderSignIn', { params: { providerId: provider.id }, body: wanted })
  location.assign(url)
}

/** Where else one can sign in. By the domain that is being typed, and by nothing that is known about the address. */
export function ProviderButtons({ domain, returnTo }: { domain: string; returnTo: string | undefined }) {
  const [providers, setProviders] = useState<Provider[]>([])
  const [problem, setProblem] = useState<Problem>()
  useEffect(() => {
    const ended = new AbortController()
    call('listProviderButtons', domain ? { query: { domain } } : {}, { signal: ended.signal })
      .then((found) => setProviders(found.providers))
      // The form with the password is there all the same.
      .catch(() => undefined)
    return () => ended.abort()
  }, [domain])
  if (providers.length === 0) return null
  return (
    <fieldset className="stack" aria-label="Single sign-on">
      {providers.map((provider) => (
        <Button
          key={provider.id}
          onClick={() =>
            void leaveFor(provider, returnTo === undefined ? {} : { returnTo }).catch((error: unknown) =>
              setProblem(asProblem(error)),
            )
          }
        >
          Sign in with {provider.name}
        </Button>
      ))}
      {problem && <ErrorBox problem={problem} />}
    </fieldset>
  )
}
