import { type Actor, requireOwnPermissions } from '../../kernel/access/actor.ts'
import { requireVersion, withVersion } from '../../kernel/contract/etag.ts'
import { Fault, type FieldError } from '../../kernel/contract/fault.ts'
import { cutPage, pageRequest } from '../../kernel/contract/pagination.ts'
import type { Database, Queryable, Transaction } from '../../kernel/database/database.ts'
import { serviceUrlProblem } from '../../outbound/ssrf-guard/service-url.ts'
import type { CiTrust, NewCiTrust } from './contract.ts'
import { immutableClaims } from './exchange/job-claims.ts'
import * as store from './store.ts'

export type CiTrustService = ReturnType<typeof createCiTrusts>

/** Which tokens of which CI systems a deployment takes. */
export function createCiTrusts(db: Database) {
  async function list(actor: Actor, query: { pageSize?: number; cursor?: number }) {
    const page = pageRequest(query)
    const { rows, ...rest } = cutPage(await store.list(db.as(actor), page), page)
    return { trusts: rows.map(shown), ...rest }
  }

  function create(actor: Actor, wanted: NewCiTrust): Promise<CiTrust> {
    const trust = checked(actor, wanted)
    return db.transaction(actor, async (tx) => {
      await requireAccount(tx, trust)
      const id = await store.insert(tx, trust)
      if (id === undefined) throw taken(trust.name)
      tx.audit({ action: 'ci-trust.create', target: `ci-trust:${id}`, detail: trust })
      return get(tx, id)
    })
  }

  function replace(actor: Actor, id: number, wanted: NewCiTrust): Promise<CiTrust> {
    const trust = checked(actor, wanted)
    return db.transaction(actor, async (tx) => {
      await requireAccount(tx, trust)
      await lock(tx, id)
      if (await store.nameIsTaken(tx, trust.name, id)) throw taken(trust.name)
      await store.replace(tx, id, trust)
      tx.audit({ action: 'ci-trust.update', target: `ci-trust:${id}`, detail: trust })
      return get(tx, id)
    })
  }

  function remove(actor: Actor, id: number): Promise<CiTrust> {
    return db.transaction(actor, async (tx) => {
      const trust = await lock(tx, id)
      await store.remove(tx, id)
      tx.audit({ action: 'ci-trust.delete', target: `ci-trust:${id}`, detail: { name: trust.name } })
      return trust
    })
  }

  return { list, create, replace, remove }
}

function checked(actor: Actor, { repositoryClaim = '', refClaim = '', ...rest }: NewCiTrust): Required<NewCiTrust> {
  const trust = { ...rest, repositoryClaim, refClaim }
  const errors: FieldError[] = []
  const problem = serviceUrlProblem(trust.issuer)
  if (problem) errors.push({ pointer: '/issuer', detail: problem })
  const immutable = immutableClaims[trust.provider]
  if (immutable && !trust.conditions.some(({ claim }) => immutable.includes(claim))) {
    errors.push({ pointer: '/conditions', detail: `must have one on ${immutable.join(', ')}: names can be taken over` })
  }
  for (const [name, value] of Object.entries({ repositoryClaim, refClaim })) {
    if (trust.provider === 'other' && value === '')
      errors.push({ pointer: `/${name}`, detail: 'is required for other' })
    if (trust.provider !== 'other' && value !== '') errors.push({ pointer: `/${name}`, detail: 'is only for other' })
  }
  if (errors.length > 0) throw new Fault('unprocessable', 'The trust cannot be used like this.', { errors })
  requireOwnPermissions(actor, trust.permissions)
  return trust
}

async function requireAccount(tx: Transaction, { serviceAccountId }: NewCiTrust): Promise<void> {
  if (await store.hasAccount(tx, serviceAccountId)) return
  const detail = `no service account ${serviceAccountId}`
  throw new Fault('unprocessable', `There is ${detail}.`, { errors: [{ pointer: '/serviceAccountId', detail }] })
}

async function lock(tx: Transaction, id: number): Promise<CiTrust> {
  const row = (await store.lock(tx, id)) ? await store.find(tx, id) : undefined
  if (!row) throw new Fault('not_found', `No CI trust ${id}.`)
  requireVersion(tx.actor, row.version)
  return shown(row)
}

async function get(from: Queryable, id: number): Promise<CiTrust> {
  const row = await store.find(from, id)
  if (!row) throw new Fault('not_found', `No CI trust ${id}.`)
  return shown(row)
}

function taken(name: string): Fault {
  return new Fault('conflict', `A CI trust '${name}' already exists.`)
}

function shown({ version, role: _, accountScopes: __, createdAt, lastUsedAt, ...rest }: store.TrustRow): CiTrust {
  const trust = { ...rest, createdAt: createdAt.toISOString(), lastUsedAt: lastUsedAt?.toISOString() ?? null }
  return withVersion(trust, version)
}
