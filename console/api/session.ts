import { useSyncExternalStore } from 'react'
import { askBeforeLeaving } from '../app/address/location.ts'
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
  tellOthers()
}

/** The windows of a browser share one cookie: whoever signs in in one of them is signed in in all. */
let others: BroadcastChannel | undefined

function tellOthers(): void {
  others?.postMessage(state.session?.person.id ?? 0)
}

/** From now on it is noticed when another window of the browser signs somebody in. */
export function watchOtherWindows(): void {
  others = new BroadcastChannel('gatehouse-session')
  others.addEventListener('message', ({ data }) => {
    if (state.ended || data !== (state.session?.person.id ?? 0)) void lookAgain()
  })
  // A window that was frozen heard nothing.
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) void lookAgain()
  })
  tellOthers()
}

/** Who is signed in by now. Where nobody is, the next request says so. */
async function lookAgain(): Promise<void> {
  const response = await fetch(path, {
    headers: { accept: 'application/json' },
    credentials: 'same-origin',
    cache: 'no-store',
  }).catch(() => undefined)
  if (response?.ok) goOnAs((await response.json()) as Session)
}

/** Somebody else at the same keyboard must neither see nor send what the first person had begun. */
function goOnAs(session: Session): void {
  if (state.session && state.session.person.id !== session.person.id) {
    askBeforeLeaving(undefined)
    location.reload()
    return
  }
  set({ session, ended: undefined, known: true })
  for (const each of waiting.splice(0)) each.resolve()
}

/** While a password is being tried, a refusal is about that password; and whoever signs out need not sign in for it. */
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
  await open()
  const response = await send(path, { headers: { accept: 'application/json' } })
  goOnAs((await response.json()) as Session)
  tellOthers()
}

/** For what is dangerous: the password once more, with a second factor if there is one. */
export async function confirmPassword(given: { password: string; code?: string }): Promise<void> {
  await plainly(`${path}/reauthenticate`, given)
}

export async function confirmWithPasskey(): Promise<void> {
  await plainly(`${path}/reauthenticate`, { passkey: await showPasskey() })
}

/** Without the dialog: what fails here is about the password that was just typed. */
function plainly(address: string, body: object): Promise<Response> {
  return quietly(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(body),
  })
}

async function quietly(address: string, init: RequestInit): Promise<Response> {
  quiet = true
  try {
    return await send(address, init)
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
  await quietly(path, { method: 'DELETE', headers: { accept: 'application/json' } }).catch((error: unknown) => {
    // Already over is as good as signed out.
    if (!(error instanceof Problem) || error.status !== 401) throw error
  })
  waiting = []
  set({ session: undefined, ended: undefined })
  tellOthers()
}
