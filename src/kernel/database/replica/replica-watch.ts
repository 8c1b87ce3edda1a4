import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { type ConnectionOptions, clientConfig, isConnectionLoss, UnsafeConnection } from '../connections/connection.ts'
import { createOpenSockets } from '../connections/open-sockets.ts'
import { connectSecurely, secureSession } from '../connections/secure-session.ts'
import { refuseTransactionPooling, sessions } from '../connections/session-pooling.ts'
import type { Position, Proof } from './position.ts'
import { createReplicaLag } from './replica-lag.ts'

const beatMs = 500
const patienceBeats = 5
/** After a replica that will not do, before it is tried again. */
const restBeats = 10
/** How long the mark that was written to the primary may take to get to a replica, for the first connection and for others. */
const firstProofMs = 2_000
const otherProofMs = 250
const lookMs = 5
const mostLooks = 10
/** Beyond this, nobody waits for it. */
const mostLagSeconds = 1

export type ReplicaState = { usable: boolean; detail: string; lagSeconds: number; lagBytes: number }

/** Why a replica is not read from: it has not what is asked for yet, it is not there, or it is not to be trusted. */
export type ReplicaReason = 'behind' | 'lost' | 'refused'

export class ReplicaUnusable extends Error {
  override name = 'ReplicaUnusable'
  readonly reason: ReplicaReason

  constructor(reason: ReplicaReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

export type Primary = { position(): Promise<Position>; prove(): Promise<Proof> }

/**
 * Knows whether the replica can be read from. Every connection to it is verified as those to the primary are, and has to show a
 * mark that was written to the primary after it was made. All lead to one server, which stays a standby of the primary's timeline;
 * whatever else is found cuts them all.
 */
export function createReplicaWatch(to: ConnectionOptions, primary: Primary) {
  const sockets = createOpenSockets(() => (kept = undefined))
  const lag = createReplicaLag()
  let client: pg.Client | undefined
  let following: { timeline: string; server: string } | undefined
  let problem = new ReplicaUnusable('lost', 'it was not reached yet')
  let kept: Promise<void> | undefined
  let beatsMissed = 0
  let resting = 0
  let told: (state: ReplicaState) => void = () => {}
  const timer = setInterval(tick, beatMs).unref()
  let beating: Promise<void> | undefined = beat()
  const firstBeat = beating

  function tick(): void {
    if (!beating) {
      beatsMissed = 0
      if (resting > 0) resting--
      else beating = beat()
      // Connecting has time limits of its own.
    } else if (client && ++beatsMissed === patienceBeats) leave(new ReplicaUnusable('lost', 'it does not answer'))
  }

  async function beat(): Promise<void> {
    try {
      client ??= await connect()
      const { lsn, timeline } = await primary.position()
      serverOn(timeline)
      lag.note(lsn, await replayedBy(client, lsn))
    } catch (error) {
      leave(asUnusable(error))
    } finally {
      beating = undefined
    }
  }

  async function connect(): Promise<pg.Client> {
    const fresh = new pg.Client({ ...clientConfig(to, sessions.replica.role), stream: sockets.stream })
    fresh.on('error', () => {})
    try {
      await fresh.connect()
      await secure(fresh)
      following = await showProof(fresh, firstProofMs)
      lag.clear()
      tell()
      return fresh
    } catch (error) {
      fresh.end().catch(() => {})
      throw error
    }
  }

  /** The same as on the primary: role, row-level security, read-only, time-outs, and a session that stays one. */
  async function secure(connection: pg.ClientBase): Promise<void> {
    const served = await secureSession(connection, to, sessions.replica)
    const { processID } = connection as unknown as { processID: number }
    if (processID === served) return
    kept ??= refuseTransactionPooling(() => connectSecurely(to, sessions.replica))
    await kept
  }

  async function showProof(connection: pg.ClientBase, patienceMs: number) {
    const proof = await primary.prove()
    const deadline = performance.now() + patienceMs
    for (;;) {
      const { rows } = await connection.query(
        `select exists (select 1 from replica_proof where id = $1) as shown, pg_postmaster_start_time()::text as server`,
        [proof.id],
      )
      if (rows[0].shown) return { timeline: proof.timeline, server: String(rows[0].server) }
      if (performance.now() > deadline) {
        const why =
          'what was written to the primary does not get there: it is a replica of another database, or far behind'
        throw new ReplicaUnusable('behind', why)
      }
      await delay(lookMs)
    }
  }

  /** For the connections that statements are sent on. */
  async function verify(connection: pg.ClientBase): Promise<void> {
    try {
      await secure(connection)
      const { timeline, server } = await showProof(connection, otherProofMs)
      if (serverOn(timeline) !== server) throw new ReplicaUnusable('refused', 'its address leads to several servers')
    } catch (error) {
      const unusable = asUnusable(error)
      if (unusable.reason === 'refused') leave(unusable)
      throw unusable
    }
  }

  /** Which server it is, as a replica of that timeline of the primary. */
  function serverOn(timeline: string): string {
    if (!following) throw problem
    if (following.timeline === timeline) return following.server
    // Lost, and so looked for at once: what follows the new one shows it.
    leave(new ReplicaUnusable('lost', 'the primary was replaced; whether it follows the new one is being found out'))
    throw problem
  }

  function leave(unusable: ReplicaUnusable): void {
    const isNews = following !== undefined || problem.message !== unusable.message
    following = undefined
    problem = unusable
    resting = unusable.reason === 'lost' ? 0 : restBeats
    client?.end().catch(() => {})
    client = undefined
    cut()
    if (isNews) tell()
  }

  function cut(): void {
    sockets.cut('the replica is left')
  }

  /** Throws where it is not worth while to ask it. */
  function check(): void {
    if (!following) throw problem
    if (lag.seconds() > mostLagSeconds) throw new ReplicaUnusable('behind', 'it is behind')
  }

  function state(): ReplicaState {
    const [lagSeconds, lagBytes] = [lag.seconds(), lag.bytes()]
    const usable = following !== undefined && lagSeconds <= mostLagSeconds
    const detail = !following
      ? problem.message
      : usable
        ? 'it follows'
        : `it is ${Math.round(lagSeconds)} seconds behind`
    return { usable, detail, lagSeconds, lagBytes }
  }

  function tell(): void {
    told(state())
  }

  async function close(): Promise<void> {
    clearInterval(timer)
    cut()
    await beating
    cut()
  }

  return {
    stream: sockets.stream,
    verify,
    check,
    cut,
    serverOn,
    state,
    close,
    /** Told when it is found to follow, and when it is left. */
    onChange: (listener: typeof told) => {
      told = listener
    },
    /** Resolves when it was looked at once. */
    lookedAt: () => firstBeat,
    // It is not the server that others of this process need connections of.
    onShortage: () => {},
    noteShortage: () => {},
  }
}

/** How far it is. Looked at several times where it is not that far: what is on its way is no lag. */
async function replayedBy(client: pg.Client, lsn: number): Promise<number> {
  for (let looks = 1; ; looks++) {
    const found = await replayed(client)
    if (found >= lsn || looks === mostLooks) return found
    await delay(lookMs)
  }
}

/** Throws where it is none any more. */
async function replayed(client: pg.Client): Promise<number> {
  const { rows } = await client.query(
    `select case when pg_is_in_recovery() then (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint end as lsn`,
  )
  if (rows[0].lsn === null) throw new ReplicaUnusable('refused', 'it is no longer a standby')
  return rows[0].lsn as number
}

const missing = ['42P01', '42883', '42703']

function asUnusable(error: unknown): ReplicaUnusable {
  if (error instanceof ReplicaUnusable) return error
  const { code = '', message } = error as { code?: string; message: string }
  const of = (reason: ReplicaReason, said: string) => new ReplicaUnusable(reason, said, { cause: error })
  if (error instanceof UnsafeConnection) return of('refused', message)
  if (missing.includes(code)) return of('behind', 'its schema is older than this version of Gatehouse')
  if (isConnectionLoss(error)) return of('lost', 'it cannot be reached')
  return of('refused', `it cannot be used: ${message}`)
}
