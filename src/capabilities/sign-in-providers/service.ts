import type { Actor } from '../../kernel/access/actor.ts'
import { actsAsOperator, type Identity } from '../../kernel/access/identity.ts'
import { requireVersion, withVersion } from '../../kernel/contract/etag.ts'
import { Fault, type FieldError } from '../../kernel/contract/fault.ts'
import type { Database, Transaction } from '../../kernel/database/database.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import { serviceUrlProblem } from '../../outbound/ssrf-guard/service-url.ts'
import type { KeyRing } from '../../vault/key-ring.ts'
import { sealedColumns, sealedFieldOf } from '../../vault/rotation/sealed-columns.ts'
import { sealedTransaction } from '../../vault/sealed-transaction.ts'
import { endSessionsOfProvider } from '../sessions/public.ts'
import { knownTeams } from '../teams/public.ts'
import type { NewSignInProvider, ProviderTrial, SignInProvider, SignInProviderChange } from './contract.ts'
import { enqueueEndingSessions } from './ended-sessions.ts'
import type { OpenIdClients, ProviderClient } from './issuer/openid-client.ts'
import { ProviderProblem } from './issuer/provider-problem.ts'
import { tryProvider } from './issuer/trial.ts'
import type { ProviderAddresses } from './provider-addresses.ts'
import * as store from './store.ts'

const mostProviders = 50

export type SignInProviderOptions = {
  db: Database
  ring: KeyRing
  clock: Clock
  clients: OpenIdClients
  addresses: ProviderAddresses
}
export type SignInProviderService = ReturnType<typeof createSignInProviders>

/** Who may sign in where, as the owners of a deployment set it up. */
export function createSignInProviders({ db, ring, clock, clients, addresses }: SignInProviderOptions) {
  async function list(actor: Actor): Promise<{ providers: SignInProvider[] }> {
    return { providers: (await store.list(db.as(actor))).map(shown) }
  }

  async function create(actor: Actor, caller: Identity, wanted: NewSignInProvider): Promise<SignInProvider> {
    const fields = tidied(wanted)
    requireUsable(fields)
    requireOperatorFor(caller, fields.instanceWide)
    await requireAnswer({ ...fields, clientSecret: wanted.clientSecret })
    const id = await store.nextId({ query: db.identityQuery })
    const secret = { plaintext: wanted.clientSecret, place: sealedFieldOf(sealedColumns.signInClientSecret, id) }
    return sealedTransaction({ db, ring }, actor, secret, async (tx, sealed) => {
      if ((await store.list(tx)).length >= mostProviders) {
        throw new Fault('conflict', `A deployment has at most ${mostProviders} sign-in providers.`)
      }
      await requireTeams(tx, fields)
      await requireWayBack(tx, fields, undefined)
      const row = await store.insert(tx, id, fields, sealed!)
      if (!row) throw taken(fields.name)
      tx.audit({ action: 'sign-in-provider.create', target: targetOf(id), detail: fields })
      return shown(row)
    })
  }

  async function replace(
    actor: Actor,
    caller: Identity,
    id: number,
    wanted: SignInProviderChange,
  ): Promise<SignInProvider> {
    const fields = tidied(wanted)
    requireUsable(fields)
    const before = required(await store.findWithSecret(db.as(actor), id), id)
    requireOperatorFor(caller, fields.instanceWide || before.instanceWide)
    const isOther = fields.issuer !== before.issuer || fields.clientId !== before.clientId
    // The stored secret never goes to an issuer that it was not given for.
    if (isOther && wanted.clientSecret === undefined) {
      throw unusable([{ pointer: '/clientSecret', detail: 'is needed with another issuer or client' }])
    }
    const clientSecret = wanted.clientSecret ?? (await openSecret(actor.deploymentId, before))
    await requireAnswer({ ...fields, clientSecret })
    const place = sealedFieldOf(sealedColumns.signInClientSecret, id)
    const secret = wanted.clientSecret === undefined ? undefined : { plaintext: wanted.clientSecret, place }
    const replaced = await sealedTransaction({ db, ring }, actor, secret, async (tx, sealed) => {
      await requireTeams(tx, fields)
      const row = required(await store.lock(tx, id), id)
      requireVersion(actor, row.version)
      // What was checked above may have changed since: then it is checked again, from the start.
      if (row.version !== before.version)
        throw new Fault('conflict', 'Somebody changed it at the same time; try again.')
      await requireWayBack(tx, fields, row)
      if (await store.isNameTaken(tx, fields.name, id)) throw taken(fields.name)
      const changed = await store.replace(tx, id, fields, sealed)
      // By a job too: a process that ends after the commit would leave them, and a repetition finds nothing changed.
      if (isOther) await enqueueEndingSessions(tx, id, clock.now())
      const detail = { ...fields, secretChanged: secret !== undefined }
      tx.audit({ action: 'sign-in-provider.update', target: targetOf(id), detail })
      return shown(changed)
    })
    if (isOther) await db.identity((tx) => endSessionsOfProvider(tx, id, {}))
    return replaced
  }

  function remove(actor: Actor, caller: Identity, id: number): Promise<SignInProvider> {
    return db.transaction(actor, async (tx) => {
      const row = required(await store.lock(tx, id), id)
      requireVersion(actor, row.version)
      requireOperatorFor(caller, row.instanceWide)
      await store.remove(tx, id)
      tx.audit({ action: 'sign-in-provider.delete', target: targetOf(id), detail: { name: row.name } })
      return shown(row)
    })
  }

  async function attempt(actor: Actor, id: number): Promise<ProviderTrial> {
    const row = required(await store.findWithSecret(db.as(actor), id), id)
    const clientSecret = await openSecret(actor.deploymentId, row)
    const trial = await tryProvider(clients, { ...row, clientSecret }, addresses.redirectUri(id))
    await db.transaction(actor, async (tx) =>
      tx.audit({ action: 'sign-in-provider.try', target: targetOf(id), detail: { works: trial.works } }),
    )
    return trial
  }

  async function openSecret(deploymentId: number, row: store.ProviderWithSecret): Promise<string> {
    const place = sealedFieldOf(sealedColumns.signInClientSecret, row.id)
    return (await ring.open(String(deploymentId), row.clientSecret, place)).toString('utf8')
  }

  async function requireAnswer(client: ProviderClient): Promise<void> {
    try {
      await clients.configure(client)
    } catch (error) {
      if (error instanceof ProviderProblem) throw unusable([{ pointer: '/issuer', detail: error.message }])
      throw error
    }
  }

  /** Before it is the only way in, somebody has come in by it; and one owner comes in without it. */
  async function requireWayBack(
    tx: Transaction,
    { enforced, breakGlassId }: store.ProviderFields,
    row: store.ProviderRow | undefined,
  ): Promise<void> {
    if (breakGlassId !== null) {
      const isOwner = await store.lockOwner(tx, breakGlassId)
      if (!isOwner || !(await store.hasPassword({ query: db.identityQuery }, breakGlassId))) {
        throw unusable([{ pointer: '/breakGlassId', detail: 'must be an owner of this deployment who has a password' }])
      }
    }
    if (!enforced) return
    if (breakGlassId === null) {
      throw unusable([{ pointer: '/breakGlassId', detail: 'is required where single sign-on is enforced' }])
    }
    if (!row?.lastUsedAt) {
      const detail = 'is possible once somebody has signed in through this provider: nobody must be locked out'
      throw unusable([{ pointer: '/enforced', detail }])
    }
  }

  function shown(row: store.ProviderRow): SignInProvider {
    const { version, ...fields } = row
    const provider = {
      ...fields,
      redirectUri: addresses.redirectUri(row.id),
      backChannelLogoutUri: addresses.logoutUri(row.id),
      createdAt: row.createdAt.toISOString(),
      lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
    }
    return withVersion(provider, version)
  }

  return { list, create, replace, remove, attempt, openSecret }
}

function tidied({ clientSecret: _, ...wanted }: SignInProviderChange): store.ProviderFields {
  return { ...wanted, domains: [...new Set(wanted.domains.map((domain) => domain.toLowerCase()))] }
}

function requireUsable(fields: store.ProviderFields): void {
  const errors: FieldError[] = []
  const problem = serviceUrlProblem(fields.issuer)
  if (problem) errors.push({ pointer: '/issuer', detail: problem })
  if (fields.mapping.length > 0 && fields.groupsClaim === '') {
    errors.push({ pointer: '/groupsClaim', detail: 'is required with a mapping' })
  }
  if (errors.length > 0) throw unusable(errors)
}

async function requireTeams(tx: Transaction, { mapping }: store.ProviderFields): Promise<void> {
  const known = await knownTeams(
    tx,
    mapping.flatMap(({ teams }) => teams),
  )
  const errors = mapping.flatMap(({ teams }, at) =>
    teams.flatMap((id, place) =>
      known.has(id) ? [] : [{ pointer: `/mapping/${at}/teams/${place}`, detail: `no team ${id}` }],
    ),
  )
  if (errors.length > 0) throw unusable(errors)
}

/** A provider of the whole instance can be anybody in it. */
function requireOperatorFor(caller: Identity, instanceWide: boolean): void {
  if (instanceWide && !actsAsOperator(caller)) {
    throw new Fault('forbidden', 'Only operators decide about sign-in providers of the whole instance.')
  }
}

function required<Row>(row: Row | undefined, id: number): Row {
  if (!row) throw new Fault('not_found', `No sign-in provider ${id}.`)
  return row
}

function unusable(errors: FieldError[]): Fault {
  return new Fault('unprocessable', 'The sign-in provider cannot be used like this.', { errors })
}

function taken(name: string): Fault {
  return new Fault('conflict', `A sign-in provider '${name}' already exists.`)
}

function targetOf(id: number): string {
  return `sign-in-provider:${id}`
}
