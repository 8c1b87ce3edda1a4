import type pg from 'pg'
import { schemaLevel } from '../migrations/migration-files.ts'
import { announceLevel } from '../migrations/version-fence.ts'
import {
  type ConnectionOptions,
  isConnectionLoss,
  isOutOfConnections,
  isReadOnlyServer,
  overtaken,
  readOnlyServer,
  translate,
  UnsafeConnection,
  unreachable,
} from './connection.ts'
import { createOpenSockets } from './open-sockets.ts'
import { connectSecurely, type Session, secureSession } from './secure-session.ts'
import { checkConnections, refuseTransactionPooling, sessions } from './session-pooling.ts'

const beatMs = 500
// Counted in beats, not by the clock: while this process itself is held up, nobody keeps it waiting.
const patienceBeats = 5

export type Heartbeat = ReturnType<typeof createHeartbeat>

/**
 * Feels whether the database answers. One that is frozen, or behind a broken network, does not even refuse, and every
 * request would wait for its time-out. While it is silent its connections are cut, which ends what waits on them, and
 * new requests are refused at once. One short query finds out when it is back.
 *
 * It also notices when its session moves to another server process, and is told of connections that could not be verified:
 * nothing is served then until a closer look finds that connections of every kind are safe. Nor is anything served while the
 * schema is for a newer Gatehouse.
 */
export function createHeartbeat(to: ConnectionOptions) {
  /** What is connected through here is cut when the database falls silent. Whoever answers next may be another. */
  const sockets = createOpenSockets(() => (kept = undefined))
  const timer = setInterval(tick, beatMs).unref()
  let client: pg.Client | undefined
  let process = ''
  let unsafe: UnsafeConnection | undefined
  let kept: Promise<void> | undefined
  let beating: Promise<void> | undefined
  let beatsMissed = 0
  let away = false
  /** Why, for the log, where it is known. */
  let awayBecause: unknown
  let isOvertaken = false
  const idleConnections = new Set<() => void>()

  function tick(): void {
    if (!beating) {
      beatsMissed = 0
      beating = beat()
    } else if (++beatsMissed === patienceBeats) {
      away = true
      cut()
    }
  }

  async function beat(): Promise<void> {
    try {
      if (unsafe) await lookCloser()
      client ??= await connect()
      const found = await stateOf(client)
      if (found.process !== process) await lookCloser()
      isOvertaken = found.isOvertaken
      away = false
      awayBecause = undefined
    } catch (error) {
      client?.end().catch(() => {})
      client = undefined
      distrust(error)
      // One that refuses is not a reason to hold requests back: they are refused as quickly, and see it return first.
      if (!isConnectionLoss(error) || isOutOfConnections(error)) away = false
      if (isReadOnlyServer(error)) leave(error)
    } finally {
      beating = undefined
    }
  }

  async function connect(): Promise<pg.Client> {
    const fresh = await connectSecurely(to, sessions.identity, { stream: sockets.stream })
    try {
      // Every other session says itself whether it writes. This one has what the server has for everybody.
      await fresh.query('reset default_transaction_read_only')
      await announceLevel(fresh)
      process = (await stateOf(fresh)).process
      return fresh
    } catch (error) {
      fresh.end().catch(() => {})
      throw error
    }
  }

  async function lookCloser(): Promise<void> {
    await checkConnections(to)
    unsafe = undefined
    throw new Error('Connection terminated: its session was replaced')
  }

  /** Before the first use of every connection. Throws where it is not safe, and then nothing is served on any other either. */
  async function verify(connection: pg.ClientBase, session: Session): Promise<void> {
    try {
      const served = await secureSession(connection, to, session)
      // The number that the other end of the connection gives itself: a pooler has another than the process behind it.
      const { processID } = connection as unknown as { processID: number }
      if (processID !== served) await sessionsAreKept()
    } catch (error) {
      distrust(error)
      throw error
    }
  }

  /** Looked into once, until a connection has gone. */
  function sessionsAreKept(): Promise<void> {
    kept ??= refuseTransactionPooling(() => connectSecurely(to, sessions.identity))
    return kept
  }

  /** What was set up on other connections may be anybody's: none is used again. */
  function distrust(error: unknown): void {
    if (!(error instanceof UnsafeConnection)) return
    if (!unsafe) cut()
    unsafe = error
  }

  /** Ends every connection, whether it answers or not. */
  function cut(): void {
    sockets.cut('the database does not answer')
  }

  /**
   * A server that only reads has been replaced, or is about to be: what it tells may be old, what is written to it may be lost, and
   * new connections lead to its successor.
   */
  function leave(because: unknown): void {
    if (!away) cut()
    away = true
    awayBecause = because
  }

  /** Throws where a request would only wait in vain. */
  function check(): void {
    if (unsafe) throw translate(unsafe)
    if (away) throw unreachable(awayBecause)
    if (isOvertaken) throw overtaken()
  }

  async function close(): Promise<void> {
    clearInterval(timer)
    await beating
    await client?.end()
  }

  /** `giveBack` ends connections that nobody uses, all but one: others of this process have none at all. */
  function onShortage(giveBack: () => void): void {
    idleConnections.add(giveBack)
  }

  function noteShortage(): void {
    for (const giveBack of idleConnections) giveBack()
  }

  return { stream: sockets.stream, check, verify, cut, close, onShortage, noteShortage }
}

type State = { process: string; isOvertaken: boolean }

/** The server process behind the session with the role it has there, and whether the schema is for a newer Gatehouse. */
async function stateOf(client: pg.Client): Promise<State> {
  const { rows } = await client.query<
    State & { onlyReads: boolean }
  >(`select pg_backend_pid() || ' ' || current_user as process,
    pg_is_in_recovery() or current_setting('default_transaction_read_only')::boolean as "onlyReads",
    not exists (select 1 from schema_fence where oldest <= ${schemaLevel}) as "isOvertaken"`)
  if (rows[0]!.onlyReads) throw readOnlyServer()
  return rows[0]!
}
