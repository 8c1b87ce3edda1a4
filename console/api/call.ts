import { formatSearch, type Pair, pathPart } from '../app/address/address.ts'
import type { Answer, Input, OperationId } from './contracts.ts'
import { operations } from './operations.ts'
import { noAnswer, type Problem, problemFrom } from './problem.ts'

export type Extras = {
  signal?: AbortSignal | undefined
  /** The ETag of what is changed: the server refuses if somebody else was faster. */
  ifMatch?: string | undefined
  /** The same for a repetition of the same wish, so that it happens once. Made up where it is not given. */
  idempotencyKey?: string | undefined
}

export type Answered<Id extends OperationId> = { data: Answer<Id>; etag: string | undefined }

/** Asks the person to sign in again and settles when that is done, or rejects when it was given up. */
type SignInAgain = (problem: Problem) => Promise<void>
let signInAgain: SignInAgain | undefined

export function onSessionEnd(handler: SignInAgain | undefined): void {
  signInAgain = handler
}

let factorNeeded: (() => void) | undefined

/** Since a moment ago a second factor is required of the person: what is on screen gives way to setting it up. */
export function onFactorNeeded(handler: () => void): void {
  factorNeeded = handler
}

let confirmAgain: SignInAgain | undefined

/** For what is dangerous the server wants the password once more: the handler asks for it. */
export function onReauthentication(handler: SignInAgain | undefined): void {
  confirmAgain = handler
}

export function addressOf(id: OperationId, input: Input<OperationId>): string {
  const [, path] = operations[id]
  const params = (input.params ?? {}) as Record<string, string | number>
  const filled = path.replace(/:([A-Za-z]+)/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined || value === '') throw new Error(`${id} needs ${name}.`)
    return pathPart(value)
  })
  const query = Object.entries((input.query ?? {}) as Record<string, unknown>)
  const pairs = query
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]): Pair => [name, String(value)])
  return filled + formatSearch(pairs)
}

/** One request of the API, as its contract describes it. Throws a `Problem` for every answer but a success. */
export async function callWithTag<Id extends OperationId>(
  id: Id,
  input: Input<Id>,
  extras: Extras = {},
): Promise<Answered<Id>> {
  const [method] = operations[id]
  const address = addressOf(id, input as Input<OperationId>)
  const headers: Record<string, string> = { accept: 'application/json' }
  if (input.body !== undefined) headers['content-type'] = 'application/json'
  if (extras.ifMatch) headers['if-match'] = extras.ifMatch
  if (method !== 'GET') headers['idempotency-key'] = extras.idempotencyKey ?? crypto.randomUUID()
  const init: RequestInit = { method, headers, signal: extras.signal ?? null }
  if (input.body !== undefined) init.body = JSON.stringify(input.body)
  const response = await send(address, init)
  const data = (await response.json()) as Answer<Id>
  return { data, etag: response.headers.get('etag') ?? undefined }
}

export async function call<Id extends OperationId>(id: Id, input: Input<Id>, extras?: Extras): Promise<Answer<Id>> {
  return (await callWithTag(id, input, extras)).data
}

/** With the cookie of the session. After its end, or where it takes the password again, the same request is sent again. */
export async function send(address: string, init: RequestInit): Promise<Response> {
  const response = await attempt(address, init)
  if (response.ok) return response
  const problem = problemFrom(response.status, await response.text(), response.headers)
  if (problem.code === 'second_factor_setup_required') factorNeeded?.()
  const again = handlerFor(problem)
  if (!again) throw problem
  await again(problem)
  const repeated = await attempt(address, init)
  if (repeated.ok) return repeated
  throw problemFrom(repeated.status, await repeated.text(), repeated.headers)
}

function handlerFor(problem: Problem): SignInAgain | undefined {
  if (problem.code === 'reauthentication_required') return confirmAgain
  return problem.status === 401 ? signInAgain : undefined
}

async function attempt(address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, { ...init, credentials: 'same-origin', redirect: 'error', cache: 'no-store' })
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw noAnswer()
  }
}
