import { useSyncExternalStore } from 'react'
import { onReauthentication } from './call.ts'
import type { Problem } from './problem.ts'

type Waiting = { resolve(): void; reject(error: Problem): void }
type State = { asked: Problem | undefined }

const listeners = new Set<() => void>()
let state: State = { asked: undefined }
let waiting: Waiting[] = []

function set(asked: Problem | undefined): void {
  state = { asked }
  for (const listener of listeners) listener()
}

/** From now on a dangerous request waits for the dialog that asks for the password. */
export function watchReauthentication(): void {
  onReauthentication((problem) => {
    set(problem)
    return new Promise((resolve, reject) => waiting.push({ resolve, reject }))
  })
}

export function useReauthentication(): State {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => state,
  )
}

export function confirmed(): void {
  const all = waiting
  waiting = []
  set(undefined)
  for (const each of all) each.resolve()
}

/** What waited is refused with the server's own sentence. */
export function declined(): void {
  const all = waiting
  const problem = state.asked
  waiting = []
  set(undefined)
  if (problem) for (const each of all) each.reject(problem)
}
