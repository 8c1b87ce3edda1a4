import { useState } from 'react'
import { asProblem, type Problem } from '../../api/problem.ts'
import { useSessionState } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorBox } from '../../ui/states.tsx'
import { leaveFor } from './provider-buttons.tsx'

/** For whoever came by a provider: it is asked once more who they are. Draws nothing for anybody else. */
export function ProviderAgain({ about }: { about: string }) {
  const { session } = useSessionState()
  const [problem, setProblem] = useState<Problem>()
  const provider = session?.session?.provider
  if (!provider) return null
  const returnTo = location.pathname + location.search
  return (
    <div className="stack">
      <p className="muted">{about}</p>
      <Button
        look="primary"
        onClick={() =>
          void leaveFor(provider, { returnTo, confirms: true }).catch((error: unknown) => setProblem(asProblem(error)))
        }
      >
        Go to {provider.name}
      </Button>
      {problem && <ErrorBox problem={problem} />}
    </div>
  )
}
