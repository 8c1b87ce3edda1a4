import { notifyManager, type Query } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { queryClient } from '../../api/ask.ts'
import { Problem } from '../../api/problem.ts'
import { Button } from '../../ui/button.tsx'
import { useCountdown } from '../../ui/states.tsx'
import { Foreign } from '../../ui/text/foreign.tsx'

const cache = queryClient.getQueryCache()
const subscribe = (listener: () => void) => cache.subscribe(notifyManager.batchCalls(listener))
const failed = (): Query[] => cache.findAll({ type: 'active', predicate: ({ state }) => state.status === 'error' })

/** What is on screen could not be read again, or not be read further: it stays, and this says that it may be behind. */
export function OutOfDate() {
  const problem = useSyncExternalStore(
    subscribe,
    () => failed().find(({ state }) => state.data !== undefined)?.state.error,
  )
  const wait = useCountdown((problem instanceof Problem && problem.retryAfter) || 0, problem)
  if (!problem) return null
  return (
    <span className="live-note fade">
      <span>
        What is on screen may be out of date: <Foreign text={problem.message} />
      </span>
      {problem instanceof Problem && problem.passes && (
        <Button why={wait > 0 ? `The server asks to wait ${wait} s.` : undefined} onClick={readFailedAgain}>
          Try again
        </Button>
      )}
    </span>
  )
}

/** Each as it was asked: a list whose next page did not come is read on, not read from its beginning. */
export function readFailedAgain(): void {
  for (const query of failed()) {
    const { error, fetchMeta } = query.state
    if (error instanceof Problem && error.passes)
      void query.fetch(undefined, fetchMeta ? { meta: fetchMeta } : {}).catch(() => undefined)
  }
}
