import { type Actor, requireOwnPermissions, systemActor } from '../../kernel/access/actor.ts'
import { type Permission, permissionNames, permitted } from '../../kernel/access/permission.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import type { Database, Queryable, Transaction } from '../../kernel/database/database.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import { type AttemptLimits, networkOf } from '../sessions/public.ts'
import { expiryAfter, issueToken } from '../tokens/public.ts'
import { type DeviceKind, deploymentOf, hashOf, hashOfUserCode, newDeviceCode, newUserCode } from './codes.ts'
import type { Approval, DeviceRequest, DeviceSignIn } from './contract.ts'
import * as store from './store.ts'

export type DeviceSignIns = ReturnType<typeof createDeviceSignIns>

type Decision = Parameters<typeof store.decide>[2]

const seconds = 600
const intervalSeconds = 5
// A second less than it was told: clocks and networks are not exact.
const leastWaitMs = (intervalSeconds - 1) * 1000
const defaultDays = 30

type Parts = { db: Database; clock: Clock; limits: AttemptLimits; publicUrl: string }
type Origin = { address: string; requestId: string }
type Asking = { client: string; hostName: string; scopes: Permission[]; days: number }

/** Signing in a program without a browser: it shows a code, and a person who is signed in types it (RFC 8628). */
export function createDeviceSignIns({ db, clock, limits, publicUrl }: Parts) {
  async function start(asked: DeviceRequest, origin: Origin) {
    const deploymentId = Number(asked.deployment_id)
    const days = Number(asked.lifetime_days ?? defaultDays)
    if (days < 1 || days > 365) throw new Fault('unprocessable', 'A token may be valid for 1 to 365 days.')
    const asking = { client: asked.client_id, hostName: asked.host_name ?? '', scopes: scopesIn(asked.scope), days }
    const { deviceCode, userCode } = await begin(deploymentId, 'code', asking, origin)
    return {
      device_code: deviceCode,
      user_code: userCode,
      // Without the code: who is sent a link must not be one click away from signing in somebody else's program.
      verification_uri: pageOf(publicUrl, deploymentId),
      expires_in: seconds,
      interval: intervalSeconds,
    }
  }

  /** For programs that show an address and no code. All that such a link can give is packages. */
  async function startByLink(
    deploymentId: number,
    asking: { client: string; hostName: string; days: number },
    origin: Origin,
    url: string,
  ) {
    const { deviceCode, userCode } = await begin(deploymentId, 'link', { ...asking, scopes: ['packages:read'] }, origin)
    return { deviceCode, page: `${pageOf(url, deploymentId)}&link=${userCode}` }
  }

  async function begin(deploymentId: number, kind: DeviceKind, asking: Asking, { address, requestId }: Origin) {
    await limited(
      [{ key: `device ${networkOf(address)}`, most: 20, seconds: 60 }],
      'Too many programs ask to be signed in from this network.',
    )
    const deviceCode = newDeviceCode(deploymentId)
    const userCode = newUserCode(kind)
    const askedAt = clock.now()
    const expiresAt = new Date(askedAt.getTime() + seconds * 1000)
    const hashes = { deviceHash: hashOf(deviceCode), codeHash: hashOfUserCode(userCode) }
    const known = await db.transaction(systemActor(deploymentId, requestId), async (tx) => {
      await store.removeEnded(tx, askedAt)
      return store.insert(tx, { ...hashes, kind, ...asking, address, askedAt, expiresAt })
    })
    if (!known) throw new Fault('not_found', `No deployment ${deploymentId}.`)
    return { deviceCode, userCode }
  }

  async function find(actor: Actor, userCode: string, address: string): Promise<DeviceSignIn> {
    const row = await guessing(actor, () => pending(db.as(actor), userCode))
    const scopes = row.scopes as Permission[]
    return {
      kind: row.kind,
      client: row.client,
      hostName: row.host_name,
      address: row.address,
      sameNetwork: isSameNetwork(row, address),
      scopes,
      missing: scopes.filter((scope) => !actor.permissions.has(scope)),
      days: row.days,
      askedAt: row.asked_at.toISOString(),
      expiresAt: row.expires_at.toISOString(),
    }
  }

  function approve(actor: Actor, approval: Approval, address: string): Promise<void> {
    return decide(actor, approval.userCode, (row) => approvalOf(actor, row, approval, address))
  }

  function deny(actor: Actor, userCode: string): Promise<void> {
    return decide(actor, userCode, ({ scopes, days }) => ({ state: 'denied', scopes, days }))
  }

  function approvalOf(actor: Actor, row: store.DeviceRow, approval: Approval, address: string): Decision {
    const { scopes, expiresInDays: days, otherNetwork } = approval
    const extra = scopes.filter((scope) => !row.scopes.includes(scope))
    if (extra.length > 0) throw new Fault('unprocessable', `The program did not ask for: ${extra.join(', ')}.`)
    requireOwnPermissions(actor, scopes)
    if (!otherNetwork && !isSameNetwork(row, address)) {
      const detail = `It asks from ${row.address}, which is not the network that you are in. Confirm that it is yours.`
      throw new Fault('conflict', detail)
    }
    return { state: 'approved', scopes, days }
  }

  /** The code is looked up in the transaction, so that a repetition by Idempotency-Key does not look for one that was used. */
  function decide(actor: Actor, userCode: string, decisionOn: (row: store.DeviceRow) => Decision): Promise<void> {
    return guessing(actor, () =>
      db.transaction(actor, async (tx) => {
        const row = await pending(tx, userCode)
        const decision = decisionOn(row)
        if (!(await store.decide(tx, row.id, decision))) throw noSuchCode()
        const { client, host_name: hostName, address, kind } = row
        const verb = decision.state === 'approved' ? 'approve' : 'deny'
        const { scopes, days } = decision
        tx.audit({
          action: `device-sign-in.${verb}`,
          target: `device-sign-in:${row.id}`,
          detail: { kind, client, hostName, address, scopes, days },
        })
      }),
    )
  }

  async function pending(from: Queryable, userCode: string): Promise<store.DeviceRow> {
    const row = await store.findPending(from, hashOfUserCode(userCode), clock.now())
    if (!row) throw noSuchCode()
    return row
  }

  /** Wrong codes count against the person who tries them; right ones do not, whatever else is wrong with the request. */
  async function guessing<T>(actor: Actor, work: () => Promise<T>): Promise<T> {
    const limit = { key: `device code of person ${actor.personId}`, most: 10, seconds: 600 }
    const attempt = await limited([limit], 'Too many wrong codes.')
    const result = await work().catch(async (error) => {
      if (error instanceof Fault && error.code !== 'not_found') await attempt.succeed()
      throw error
    })
    await attempt.succeed()
    return result
  }

  async function poll(deviceCode: string, { requestId }: Pick<Origin, 'requestId'>) {
    const deploymentId = deploymentOf(deviceCode)
    if (deploymentId === undefined) throw ended()
    const now = clock.now()
    const row = await store.findByDevice(db.as({ deploymentId }), hashOf(deviceCode))
    if (!row || row.expires_at <= now) throw ended()
    if (row.state === 'approved') return issue(deploymentId, row, now, requestId)
    throw await db.transaction(systemActor(deploymentId, requestId), async (tx) => {
      if (row.state === 'pending') return notYet(tx, row, now)
      await store.take(tx, row.id)
      return new Fault('access_denied', 'The person did not allow it.')
    })
  }

  async function notYet(tx: Transaction, row: store.DeviceRow, now: Date): Promise<Fault> {
    const inTime = await store.notePoll(tx, row.id, now, new Date(now.getTime() - leastWaitMs))
    if (inTime) return new Fault('authorization_pending', 'Nobody has typed the code yet.')
    return new Fault('slow_down', `Wait ${intervalSeconds} seconds between two polls.`)
  }

  /** As the person who approved it, with what they may do now. */
  async function issue(deploymentId: number, row: store.DeviceRow, now: Date, requestId: string) {
    const personId = row.person_id!
    const role = await store.roleOf(db.as({ deploymentId }), personId)
    if (!role) throw ended()
    const permissions = permitted(role, row.scopes)
    const actor = { deploymentId, personId, tokenId: 0, role, permissions, requestId }
    const name = (row.host_name ? `${row.client} on ${row.host_name}` : row.client).slice(0, 200)
    const expiresAt = expiryAfter(now, row.days)
    const scopes = [...permissions]
    const secret = await db.transaction(actor, async (tx) => {
      // Who polls twice at once gets one token.
      if (!(await store.take(tx, row.id))) throw ended()
      const issued = await issueToken(tx, { personId, parentId: 0, wanted: { name, webApi: true }, scopes, expiresAt })
      const detail = { token: issued.token.id }
      tx.audit({ action: 'device-sign-in.complete', target: `device-sign-in:${row.id}`, detail })
      return issued.secret
    })
    return { secret, scopes, expiresIn: row.days * 86_400, deploymentId }
  }

  async function limited(wanted: Parameters<AttemptLimits['guard']>[0], message: string) {
    const attempt = limits.guard(wanted)
    try {
      await attempt.begin()
    } catch (error) {
      if (!(error instanceof Fault) || error.retryAfterSeconds === undefined) throw error
      const wait = error.retryAfterSeconds
      throw new Fault('too_many_requests', `${message} Wait ${wait} seconds.`, { retryAfterSeconds: wait })
    }
    return attempt
  }

  return { start, startByLink, find, approve, deny, poll }
}

function pageOf(url: string, deploymentId: number): string {
  return `${url}/device?deployment=${deploymentId}`
}

function scopesIn(text: string): Permission[] {
  const names = [...new Set(text.split(/\s+/).filter(Boolean))]
  const unknown = names.filter((name) => !(permissionNames as string[]).includes(name))
  if (names.length === 0) throw new Fault('unprocessable', 'Name at least one permission.')
  if (unknown.length > 0) throw new Fault('unprocessable', `These permissions do not exist: ${unknown.join(', ')}.`)
  return names as Permission[]
}

function isSameNetwork(row: store.DeviceRow, address: string): boolean {
  return networkOf(row.address) === networkOf(address)
}

/** The same for a code that never was, that ended, and that somebody decided about. */
function noSuchCode(): Fault {
  return new Fault('not_found', 'No program waits with this code. Codes work for ten minutes, and once.')
}

function ended(): Fault {
  return new Fault('expired_token', 'This sign-in has ended. Begin again.')
}
