import { useSyncExternalStore } from 'react'
import { onFactorNeeded, onSessionEnd, send } from './call.ts'
import type { Answer } from './contracts.ts'
import { showPasskey } from './passkey.ts'
import { Problem } from './problem.ts'

export type Session = Answer<'getSession'>
export type Deployment = Session['deployments'][number]

type State = { session: Session | undefined; ended: Problem | undefined; known: boolean }

const path = '/api/auth/session'
const listeners = new Set<() => void>()
let state: State = { session: undefined, ended: undefined, known: false }

function set(change: Partial<State>): void {
  state = { ...state, ...change }
  for (const listener of listeners) listener()
}

export function useSessionState(): State {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => state,
  )
}

/** Who is signed in, asked once at the start. Nobody is an answer too. */
export async function loadSession(): Promise<void> {
  try {
    const response = await send(path, { headers: { accept: 'application/json' } })
    set({ session: (await response.json()) as Session, ended: undefined, known: true })
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 401) throw error
    set({ session: undefined, known: true })
  }
}

/** While a password is being tried, a refusal is about that password. */
let quiet = false

type Waiting = { resolve(): void; reject(error: Problem): void }
let waiting: Waiting[] = []

/** From now on a request that finds the session ended waits for the dialog that opens. */
export function watchSessionEnd(): void {
  onFactorNeeded(() => void loadSession())
  onSessionEnd((problem) => {
    if (!state.session || quiet) return Promise.reject(problem)
    set({ ended: problem })
    return new Promise((resolve, reject) => waiting.push({ resolve, reject }))
  })
}

export type Given = { email: string; password: string; code?: string }

export function signIn(given: Given): Promise<void> {
  return begin(() => plainly(path, given))
}

/** Without a password: the passkey says who it is. */
export function signInWithPasskey(): Promise<void> {
  return begin(async () => plainly('/api/auth/passkey', { credential: await showPasskey() }))
}

async function begin(open: () => Promise<unknown>): Promise<void> {
  const before = state.session
  await open()
  const response = await send(path, { headers: { accept: 'application/json' } })
  const session = (await response.json()) as Session
  // Somebody else at the same keyboard must not send what the first person had begun.
  if (before && before.person.id !== session.person.id) {
    location.reload()
    return
  }
  set({ session, ended: undefined, known: true })
  for (const each of waiting.splice(0)) each.resolve()
}

/** For what is dangerous: the password once more, with what it needs besides. */
export async function confirmPassword(given: { password: string; code?: string }): Promise<void> {
  await plainly(`${path}/reauthenticate`, given)
}

export async function confirmWithPasskey(): Promise<void> {
  await plainly(`${path}/reauthenticate`, { passkey: await showPasskey() })
}

/** Without the dialog: what fails here is about the password that was just typed. */
async function plainly(address: string, body: object): Promise<Response> {
  quiet = true
  try {
    return await send(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(body),
    })
  } finally {
    quiet = false
  }
}

export function giveUpSession(): void {
  const problem = state.ended
  if (problem) for (const each of waiting.splice(0)) each.reject(problem)
  set({ session: undefined, ended: undefined })
}

export async function signOut(): Promise<void> {
  await send(path, { method: 'DELETE', headers: { accept: 'application/json' } }).catch((error: unknown) => {
    // Already over is as good as signed out.
    if (!(error instanceof Problem) || error.status !== 401) throw error
  })
  waiting = []
  set({ session: undefined, ended: undefined })
}
