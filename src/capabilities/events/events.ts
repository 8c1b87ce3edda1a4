import { type Actor, seesEverything } from '../../kernel/access/actor.ts'
import type { Identity } from '../../kernel/access/identity.ts'
import { permitted } from '../../kernel/access/permission.ts'
import { changesChannel } from '../../kernel/changes/announcing.ts'
import { type ChangeName, changeNames, isRestricted, permissionFor } from '../../kernel/changes/change.ts'
import type { Api } from '../../kernel/contract/api.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import type { Requirement } from '../factors/public.ts'
import { streamEvents } from './contract.ts'
import * as store from './store.ts'
import { type OpenStream, openStream } from './stream.ts'

export type EventOptions = {
  db: Database
  clock: Clock
  /** Since when a browser's session that was not used has ended. */
  idleSince: (now: Date) => Date
  /** Who needs a second factor in the whole instance. */
  requirement: Requirement
}

// A session that has ended is felt within a second; half of it leaves time for the look itself.
const lookMs = 500
const beatMs = 15_000
const longestMs = 15 * 60_000
/** Notices are kept for an hour. */
const resumableMs = 50 * 60_000
const mostPerPerson = 10
const mostPerProcess = 1_000
const batch = 1_000

/** Tells people what changes while they look on. */
export function createEvents({ db, clock, idleSince, requirement }: EventOptions) {
  const streams = new Set<OpenStream>()
  const heard = new Map<number, number>()
  let listener: ReturnType<Database['listen']> | undefined
  let looking: NodeJS.Timeout | undefined
  let beating: NodeJS.Timeout | undefined
  let reading: Promise<void> | undefined
  let again = false
  let isLooking = false
  let closed = false

  async function open(actor: Actor, { sessionId }: Identity, lastEventId: string | undefined): Promise<OpenStream> {
    const from = lastEventId === undefined ? undefined : readPosition(lastEventId)
    admit(actor)
    const openedAt = performance.now()
    // Counted before anything is waited for.
    const stream = openStream({ actor, sessionId, openedAt }, { id: 0, at: Date.now() }, leave)
    streams.add(stream)
    try {
      start()
      await catchUp(stream, from)
      return stream
    } catch (error) {
      stream.end()
      throw error
    }
  }

  function admit({ personId }: Actor): void {
    if (closed) throw new Fault('unavailable', 'The process is shutting down.', { retryAfterSeconds: 1 })
    if (streams.size >= mostPerProcess) {
      throw new Fault('unavailable', `${mostPerProcess} event streams are open.`, { retryAfterSeconds: 60 })
    }
    const own = [...streams].filter(({ actor }) => actor.personId === personId).length
    if (own >= mostPerPerson) {
      const detail = `You have ${mostPerPerson} event streams open; close one first.`
      throw new Fault('too_many_requests', detail, { retryAfterSeconds: 60 })
    }
  }

  /** What it missed, or, where that is not known any more, everything. */
  async function catchUp(stream: OpenStream, from: { id: number; at: number } | undefined): Promise<void> {
    const { actor } = stream
    const reader = db.as(actor)
    const last = await store.lastNotice(reader)
    if (!heard.has(actor.deploymentId)) heard.set(actor.deploymentId, last)
    const position = { id: last, at: Date.now() }
    if (!from) return stream.beat(position)
    if (Date.now() - from.at > resumableMs || from.id > last) {
      return stream.tell(namesFor(actor), position)
    }
    for (let after = from.id; ; ) {
      const notices = await store.noticesAfter(reader, after, batch)
      stream.tell(await namesIn(actor, notices), position)
      if (notices.length < batch) return
      after = notices.at(-1)!.id
    }
  }

  function leave(stream: OpenStream): void {
    streams.delete(stream)
    const { deploymentId } = stream.actor
    if (![...streams].some(({ actor }) => actor.deploymentId === deploymentId)) heard.delete(deploymentId)
    if (streams.size === 0) stop()
  }

  function start(): void {
    listener ??= db.listen(changesChannel, () => void read())
    looking ??= setInterval(() => void look(), lookMs).unref()
    beating ??= setInterval(beat, beatMs).unref()
  }

  function stop(): void {
    clearInterval(looking)
    clearInterval(beating)
    looking = undefined
    beating = undefined
    heard.clear()
    const former = listener
    listener = undefined
    void former?.close()
  }

  /** One at a time; who comes meanwhile has it done once more. */
  function read(): Promise<void> {
    if (reading) {
      again = true
      return reading
    }
    reading = readAll()
      .catch(() => {})
      .finally(() => {
        reading = undefined
        if (!again) return
        again = false
        void read()
      })
    return reading
  }

  async function readAll(): Promise<void> {
    for (const [deploymentId, after] of heard) {
      const notices = await store.noticesAfter(db.as({ deploymentId }), after, batch)
      const last = notices.at(-1)
      if (!last) continue
      heard.set(deploymentId, last.id)
      if (notices.length === batch) again = true
      const listening = [...streams].filter(({ actor }) => actor.deploymentId === deploymentId)
      await Promise.all(
        listening.map(async (stream) =>
          stream.tell(await namesIn(stream.actor, notices), { id: last.id, at: Date.now() }),
        ),
      )
    }
  }

  async function namesIn(actor: Actor, notices: readonly store.Notice[]): Promise<Set<ChangeName>> {
    const readable = notices.filter(({ name }) => actor.permissions.has(permissionFor(name)))
    if (seesEverything(actor)) return new Set(readable.map(({ name }) => name))
    const ids = [...new Set(readable.map(({ repositoryId }) => repositoryId))].filter((id) => id > 0)
    const visible = ids.length > 0 ? await store.visibleOf(db.as(actor), actor, ids) : new Set<number>()
    const theirs = readable.filter(
      (notice) => !isRestricted(notice) && (notice.repositoryId === 0 || visible.has(notice.repositoryId)),
    )
    return new Set(theirs.map(({ name }) => name))
  }

  /** Those whose session or token has ended or gives other rights now, or that were open for long, end. */
  async function look(): Promise<void> {
    if (isLooking) return
    isLooking = true
    await lookAt([...streams]).finally(() => (isLooking = false))
  }

  async function lookAt(all: readonly OpenStream[]): Promise<void> {
    const now = clock.now()
    const credentials = all.map(({ actor: { tokenId, personId, deploymentId }, sessionId }) => ({
      sessionId,
      tokenId,
      personId,
      deploymentId,
    }))
    const rights = await store
      .rightsOf({ query: db.identityQuery }, credentials, { idleSince: idleSince(now), now, requirement })
      .catch(() => undefined)
    const late = performance.now() - longestMs
    for (const [at, stream] of all.entries()) {
      // While the database is away nobody can be told of anything either.
      if ((rights && !gives(rights.get(at), stream.actor)) || stream.openedAt < late) stream.end()
    }
  }

  function beat(): void {
    // A notification may get lost; then this is when its notice is found.
    void read()
    const at = Date.now()
    for (const stream of streams) stream.beat({ id: heard.get(stream.actor.deploymentId) ?? 0, at })
  }

  /** Ends all of them, and takes no more. */
  async function close(): Promise<void> {
    closed = true
    for (const stream of streams) stream.end()
    stop()
    await reading
  }

  function serve(api: Api): void {
    api.serve(streamEvents, ({ actor, caller, query, lastEventId }) =>
      open(actor, caller, lastEventId ?? query.lastEventId),
    )
  }

  return { serve, close, count: () => streams.size }
}

function namesFor({ permissions }: Actor): ChangeName[] {
  return changeNames.filter((name) => permissions.has(permissionFor(name)))
}

/** Whether these are the rights that the actor began with. */
function gives(rights: store.Rights | undefined, { role, permissions }: Actor): boolean {
  if (rights?.role !== role) return false
  const now = permitted(role, rights.scopes ?? undefined)
  return now.size === permissions.size && [...now].every((name) => permissions.has(name))
}

function readPosition(text: string): { id: number; at: number } {
  const [, id, at] = /^([0-9]{1,16})-([0-9]{1,16})$/.exec(text) ?? []
  if (id === undefined) throw new Fault('malformed_request', 'Last-Event-ID is not one of an event of this stream.')
  return { id: Number(id), at: Number(at) }
}
