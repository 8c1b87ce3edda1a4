import type { Actor } from '../../../kernel/access/actor.ts'
import { requireVersion, versionOf, withVersion } from '../../../kernel/contract/etag.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { KeyRing } from '../../../vault/key-ring.ts'
import { sealedColumns, sealedFieldOf } from '../../../vault/rotation/sealed-columns.ts'
import { sealedTransaction } from '../../../vault/sealed-transaction.ts'
import type {
  Check,
  CheckedInstance,
  Choices,
  Configuration,
  ConnectionChanges,
  NewConnection,
  OneInstance,
  TicketingInstance,
} from '../contract.ts'
import { resume } from '../sync/resume-unfinished.ts'
import type { Access } from '../tracker/access.ts'
import type { Tracker } from '../tracker/tracker.ts'
import { faultFor, TrackerError } from '../tracker/tracker-error.ts'
import { settingsProblems } from './check-settings.ts'
import { mergeConnection, mergeSettings, usableOrigin } from './merge-instance.ts'
import { toInstance, toOneInstance } from './shown-instance.ts'
import * as store from './store.ts'

export type TicketingService = ReturnType<typeof createTicketingService>

/** Trackers. Their token is sealed on the way in and opened only to ask them. */
export function createTicketingService({ db, ring, access }: { db: Database; ring: KeyRing; access: Access }) {
  async function list(actor: Actor): Promise<TicketingInstance[]> {
    return (await store.list(db.as(actor))).map(toInstance)
  }

  async function get(actor: Actor, id: number): Promise<OneInstance> {
    return toOneInstance(required(await store.find(db.as(actor), id), id))
  }

  async function connect(actor: Actor, { url, email, apiToken }: NewConnection): Promise<CheckedInstance> {
    const origin = usableOrigin(url)
    // The id of a site that was connected before: the token is sealed for it.
    const id = (await store.findAt(db.as(actor), origin))?.id ?? (await store.nextId({ query: db.identityQuery }))
    const made = await sealedTransaction({ db, ring }, actor, secretFor(id, apiToken), async (tx, sealed) => {
      const other = await store.findAt(tx, origin)
      const row =
        other && other.id !== id ? undefined : await store.connect(tx, id, { url: origin, email, token: sealed! })
      if (!row) throw new Fault('conflict', `${origin} is already connected.`)
      await resume(tx, id)
      tx.audit({ action: 'ticketing.connect', target: targetOf(id), detail: { url: origin, email } })
      return toOneInstance(row)
    })
    return checked(actor, made)
  }

  async function reconnect(actor: Actor, id: number, sent: ConnectionChanges): Promise<CheckedInstance> {
    const made = await sealedTransaction({ db, ring }, actor, secretFor(id, sent.apiToken), async (tx, token) => {
      const row = required(await store.lock(tx, id), id)
      requireVersion(actor, row.version)
      const to = mergeConnection(row, sent)
      const other = await store.findAt(tx, to.url)
      if (other && other.id !== id) throw new Fault('conflict', `${to.url} is another instance, ${other.id}.`)
      const changed = await store.reconnect(tx, id, { ...to, token })
      if (token) await resume(tx, id)
      tx.audit({ action: 'ticketing.reconnect', target: targetOf(id), detail: { ...to, token: token !== undefined } })
      return toOneInstance(changed)
    })
    return checked(actor, made)
  }

  /** What became of the connection, and the instance as it stands after that. */
  async function checked(actor: Actor, made: OneInstance): Promise<CheckedInstance> {
    const { id } = made.instance
    const row = await store.find(db.as(actor), id)
    if (!row) return withVersion({ ...made, check: { ok: false, problems: [] } }, versionOf(made)!)
    const check = await examine(actor, row, async (tracker) => {
      await tracker.checkAccess()
      return []
    })
    const now = toOneInstance((await store.find(db.as(actor), id)) ?? row)
    return withVersion({ ...now, check }, versionOf(now)!)
  }

  async function configure(actor: Actor, id: number, sent: Configuration): Promise<OneInstance> {
    await checkBeforehand(actor, id)
    const before = required(await store.find(db.as(actor), id), id)
    const settings = mergeSettings(before, sent)
    const problems = await asking(actor, before, (tracker) => settingsProblems(tracker, settings))
    if (problems.length > 0) {
      const named = problems.map(({ detail }) => detail).join('; ')
      throw new Fault('unprocessable', `Nothing was changed: ${named}.`, { errors: problems })
    }
    return db.transaction(actor, async (tx) => {
      const row = required(await store.lock(tx, id), id)
      requireVersion(actor, row.version)
      // What was asked from the tracker must be what is written.
      if (JSON.stringify(mergeSettings(row, sent)) !== JSON.stringify(settings) || row.url !== before.url) {
        throw new Fault('conflict', `Instance ${id} was changed in the meantime. Read it and try again.`)
      }
      const changed = await store.configure(tx, id, settings)
      tx.audit({ action: 'ticketing.configure', target: targetOf(id), detail: { fields: Object.keys(sent) } })
      return toOneInstance(changed)
    })
  }

  /** In a transaction of its own: a repetition by Idempotency-Key is not refused for the version that the first request made. */
  async function checkBeforehand(actor: Actor, id: number): Promise<void> {
    await db.transaction(actor, async (tx) => requireVersion(actor, required(await store.find(tx, id), id).version))
  }

  async function validate(actor: Actor, id: number): Promise<Check> {
    const row = required(await store.find(db.as(actor), id), id)
    const check = await examine(actor, row, async (tracker) => {
      await tracker.checkAccess()
      return settingsProblems(tracker, row)
    })
    return db.transaction(actor, async (tx) => {
      tx.audit({ action: 'ticketing.validate', target: targetOf(id), detail: check })
      return check
    })
  }

  function disconnect(actor: Actor, id: number): Promise<OneInstance> {
    return db.transaction(actor, async (tx) => {
      const row = required(await store.lock(tx, id), id)
      requireVersion(actor, row.version)
      await store.disconnect(tx, id)
      tx.audit({ action: 'ticketing.disconnect', target: targetOf(id), detail: { url: row.url } })
      return toOneInstance(row)
    })
  }

  async function choices(actor: Actor, id: number, of: { projectId?: string; issueTypeId?: string }): Promise<Choices> {
    const row = required(await store.find(db.as(actor), id), id)
    const { projectId, issueTypeId } = of
    return asking(actor, row, async (tracker) => ({
      projects: await tracker.projects(),
      issueTypes: projectId ? await tracker.issueTypes(projectId) : [],
      fields: projectId && issueTypeId ? await tracker.fields(projectId, issueTypeId) : [],
      transitions: projectId && issueTypeId ? await transitionChoices(tracker, projectId, issueTypeId) : [],
    }))
  }

  async function asking<T>(actor: Actor, row: store.InstanceRow, work: (tracker: Tracker) => Promise<T>): Promise<T> {
    try {
      return await access.using(actor, row, work)
    } catch (error) {
      throw error instanceof TrackerError ? faultFor(error) : error
    }
  }

  async function examine(
    actor: Actor,
    row: store.InstanceRow,
    work: (tracker: Tracker) => Promise<Check['problems']>,
  ): Promise<Check> {
    try {
      const problems = await access.using(actor, row, work)
      return { ok: problems.length === 0, problems }
    } catch (error) {
      if (!(error instanceof TrackerError)) throw error
      return { ok: false, problems: [{ pointer: '', detail: error.message }] }
    }
  }

  return { list, get, connect, reconnect, configure, validate, disconnect, choices }
}

async function transitionChoices(tracker: Tracker, projectId: string, typeId: string) {
  const found = (await tracker.transitions(projectId, typeId)) ?? []
  return found.map(({ id, name }) => ({ id, name }))
}

function secretFor(id: number, apiToken: string | undefined) {
  if (apiToken === undefined) return undefined
  return { plaintext: apiToken, place: sealedFieldOf(sealedColumns.ticketingApiToken, id) }
}

function required(row: store.InstanceRow | undefined, id: number): store.InstanceRow {
  if (!row) throw new Fault('not_found', `No ticketing instance ${id}.`)
  return row
}

function targetOf(id: number): string {
  return `ticketing-instance:${id}`
}
