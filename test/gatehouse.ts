import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import sql from 'sql-template-tag'
import { derivationCost } from '../src/capabilities/people/passwords/derivation-cost.ts'
import { type Application, type ComposeOptions, compose } from '../src/compose/compose.ts'
import { systemActor } from '../src/kernel/access/actor.ts'
import type { Role } from '../src/kernel/access/permission.ts'
import type { ConnectionOptions } from '../src/kernel/database/connections/connection.ts'
import { type Clock, systemClock } from '../src/kernel/time/clock.ts'
import { readSettings } from '../src/settings/settings.ts'
import { firstStart } from '../src/start/first-start.ts'
import { throwAwayDatabase } from './cluster.ts'
import { recordCall } from './record-examples.ts'
import { watchStalls } from './watching/stall-watch.ts'

// The passwords of its people would be much of what a file costs. What passwords cost is a test of its own.
Object.assign(derivationCost, { memory: 64, passes: 1 })

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export type Answer = { status: number; headers: Headers; body: any }
export type Request = { as?: string; body?: unknown; headers?: Record<string, string> }
export type Tester = { id: number; email: string; password: string; token: string; jwt: string }

export type TestGatehouse = Awaited<ReturnType<typeof openGatehouse>>

/**
 * The whole product on a throw-away database, listening on a port of its own, with an owner. Every answer is held
 * against its contract. Close it with `await gatehouse.close()`.
 */
export async function openGatehouse(
  options: {
    clock?: Clock
    env?: Record<string, string>
    log?: (line: string) => void
    worker?: ComposeOptions['worker']
    /** False for a test that does the periodic work itself, at its own moments. */
    jobs?: false
    console?: ComposeOptions['console']
    stopPatienceMs?: number
    diskSpace?: ComposeOptions['diskSpace']
    /** Another database than one of the cluster that tests share: migrated, and empty. */
    connection?: ConnectionOptions
  } = {},
) {
  const database = options.connection
    ? { connection: options.connection, drop: async () => {} }
    : await throwAwayDatabase()
  const dataFolder = mkdtempSync(join(tmpdir(), 'gatehouse-test-'))
  // No test talks to the real one.
  const nowhere = 'http://127.0.0.1:1'
  const outside = {
    GATEHOUSE_IDENTITY_PROVIDER_URL: nowhere,
    GATEHOUSE_FEED: 'none',
    GATEHOUSE_NPM_UPSTREAM: nowhere,
    GATEHOUSE_PYPI_UPSTREAM: nowhere,
    GATEHOUSE_MAVEN_UPSTREAM: nowhere,
    GATEHOUSE_CARGO_UPSTREAM: nowhere,
    GATEHOUSE_GO_UPSTREAM: nowhere,
  }
  const settings = readSettings({ PORT: '0', GATEHOUSE_DATA: dataFolder, ...outside, ...options.env })
  const log = options.log ? pino({ level: 'info' }, { write: options.log }) : pino({ level: 'silent' })
  const ingredients = {
    settings,
    connection: database.connection,
    masterKey: randomBytes(32),
    clock: options.clock ?? systemClock,
    log,
    checkResponses: true,
    worker: options.worker,
    console: options.console,
    ...(options.diskSpace && { diskSpace: options.diskSpace }),
    ...(options.stopPatienceMs && { stopPatienceMs: options.stopPatienceMs }),
  }
  const gatehouse = compose(ingredients)
  const welcome = await firstStart(gatehouse, settings, { asOwner: (work) => work(database.connection) })
  if (!welcome) throw new Error('the throw-away database is not empty')
  await gatehouse.firewall.refresh()
  await gatehouse.app.listen({ host: '127.0.0.1', port: 0 })
  if (options.jobs !== false) gatehouse.jobs.start()
  const url = addressOf(gatehouse)
  const watch = watchStalls(gatehouse.app)

  const call = caller(url, welcome.token)

  async function signIn(email: string, password: string): Promise<string> {
    const answer = await call('POST', '/api/auth/login', { as: '', body: { email, password } })
    if (answer.status !== 200) throw new Error(`sign-in failed: ${JSON.stringify(answer.body)}`)
    return answer.body.accessToken
  }

  async function makeToken(jwt: string, deploymentId: number, more: object = {}): Promise<string> {
    const path = `/api/tokens/v1/deployments/${deploymentId}/tokens`
    const answer = await call('POST', path, { as: jwt, body: { name: 'test', webApi: true, ...more } })
    if (answer.status !== 200) throw new Error(`no token: ${JSON.stringify(answer.body)}`)
    return answer.body.secret
  }

  /** A new person with a role in a deployment, signed in, with a token. */
  async function addPerson(
    role: Role,
    deployment = { id: welcome!.deploymentId, as: welcome!.token },
  ): Promise<Tester> {
    const email = `${role}-${randomBytes(4).toString('hex')}@example.com`
    const password = 'correct horse battery'
    const path = `/api/people/v1/deployments/${deployment.id}/people`
    // Owners are invited by whoever is signed in; the first owner owns every deployment.
    const as = role === 'owner' ? await signIn(welcome!.email, welcome!.password) : deployment.as
    const invited = await call('POST', path, { as, body: { email, role } })
    if (invited.status !== 200) throw new Error(`no invitation: ${JSON.stringify(invited.body)}`)
    const { invitation, link } = invited.body
    const joined = await accept(link ?? (await takeLink(deployment.id, invitation.id)), password)
    if (joined.status !== 200) throw new Error(`no person: ${JSON.stringify(joined.body)}`)
    const jwt = await signIn(email, password)
    return { id: joined.body.person.id, email, password, jwt, token: await makeToken(jwt, deployment.id) }
  }

  /** The link of an invitation that went out by mail, without waiting for the mail, which then does not count. */
  async function takeLink(deploymentId: number, invitationId: number): Promise<string> {
    const token = randomBytes(32).toString('base64url')
    const hash = createHash('sha256').update(token).digest()
    await gatehouse.db.transaction(systemActor(deploymentId, 'test'), (tx) =>
      tx.query(sql`update invitation set token_hash = ${hash}, version = version + 1
        where deployment_id = ${deploymentId} and id = ${invitationId}`),
    )
    return `#${token}`
  }

  /** As the holder of an invitation's link, who has no account yet. */
  function accept(link: string, password: string): Promise<Answer> {
    return call('POST', '/api/auth/invitations/accept', { as: '', body: { token: tokenOf(link), password } })
  }

  /** Another deployment with its own owner's token; the first owner owns it too. */
  async function addDeployment(name = `Other ${randomBytes(4).toString('hex')}`): Promise<{ id: number; as: string }> {
    const jwt = await signIn(welcome!.email, welcome!.password)
    const made = await call('POST', '/api/deployments/v1/deployments', { as: jwt, body: { name } })
    if (made.status !== 200) throw new Error(`no deployment: ${JSON.stringify(made.body)}`)
    const { id } = made.body.deployment
    const ownJwt = await signIn(welcome!.email, welcome!.password)
    return { id, as: await makeToken(ownJwt, id) }
  }

  /** A second Gatehouse on the same database, as another process would be. */
  async function anotherProcess() {
    const other = compose(ingredients)
    await other.app.listen({ host: '127.0.0.1', port: 0 })
    other.jobs.start()
    return { url: addressOf(other), call: caller(addressOf(other), welcome!.token), close: other.close }
  }

  async function close(): Promise<void> {
    await gatehouse.close()
    await clear()
  }

  /** Takes away what is left when the product has ended. */
  async function clear(): Promise<void> {
    await database.drop()
    rmSync(dataFolder, { recursive: true, force: true })
    watch.stop()
  }

  const owner = { ...welcome, jwt: await signIn(welcome.email, welcome.password) }
  return {
    ...gatehouse,
    url,
    owner,
    call,
    signIn,
    makeToken,
    addPerson,
    accept,
    addDeployment,
    anotherProcess,
    close,
    stop: gatehouse.close,
    clear,
    connection: database.connection,
    masterKey: ingredients.masterKey,
    dataFolder,
  }
}

/** What stands in a one-time link. */
export function tokenOf(link: string): string {
  return link.slice(link.indexOf('#') + 1)
}

function addressOf(gatehouse: Application): string {
  return `http://127.0.0.1:${(gatehouse.app.server.address() as { port: number }).port}`
}

/** Calls as the owner unless told otherwise; `as: ''` sends no credentials. */
export function caller(url: string, defaultToken: string) {
  return async (method: string, path: string, request: Request = {}): Promise<Answer> => {
    const headers: Record<string, string> = { ...request.headers }
    const as = request.as ?? defaultToken
    if (as) headers.authorization ??= `Bearer ${as}`
    if (request.body !== undefined) headers['content-type'] ??= 'application/json'
    const body = typeof request.body === 'string' ? request.body : JSON.stringify(request.body)
    const response = await fetch(url + path, { method, headers, ...(request.body === undefined ? {} : { body }) })
    const mediaType = response.headers.get('content-type')?.split(';')[0] ?? ''
    const text = mediaType === 'text/event-stream' ? await firstEvent(response) : await response.text()
    const answer = /[/+]json$/.test(mediaType) ? JSON.parse(text) : text
    if (response.status === 200 || response.status === 201)
      recordCall({ method, url: path, body: request.body, mediaType, answer })
    return { status: response.status, headers: response.headers, body: answer }
  }
}

/** A stream of events goes on: what it begins with is its answer. */
async function firstEvent(response: Response): Promise<string> {
  const reader = response.body!.getReader()
  const { value } = await reader.read()
  await reader.cancel()
  return Buffer.from(value ?? []).toString()
}
