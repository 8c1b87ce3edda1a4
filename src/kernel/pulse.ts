import { Socket } from 'node:net'
import pg from 'pg'
import { type ConnectionOptions, clientConfig, isConnectionLoss, roleNames, unreachable } from './connection.ts'

const beatMs = 500
// Counted in beats, not by the clock: while this process itself is held up, nobody keeps it waiting.
const patienceBeats = 5
const outOfConnections = '53300'

export type Pulse = ReturnType<typeof createPulse>

/**
 * Feels whether the database answers. One that is frozen, or behind a broken network, does not even refuse, and every
 * request would wait for its time-out. While it is silent its connections are cut, which ends what waits on them, and
 * new requests are refused at once. One short query finds out when it is back.
 */
export function createPulse(to: ConnectionOptions) {
  const sockets = new Set<Socket>()
  const timer = setInterval(tick, beatMs).unref()
  let client: pg.Client | undefined
  let beating: Promise<void> | undefined
  let beatsMissed = 0
  let away = false

  /** For pg's option `stream`: what is connected through here is cut when the database falls silent. */
  function stream(): Socket {
    const socket = new Socket()
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    return socket
  }

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
      client ??= await connect()
      await client.query('select 1')
      away = false
    } catch (error) {
      client = undefined
      // One that refuses is no reason to hold requests back: they are refused as quickly, and see it return first.
      if (!isConnectionLoss(error) || (error as { code?: string }).code === outOfConnections) away = false
    } finally {
      beating = undefined
    }
  }

  async function connect(): Promise<pg.Client> {
    const fresh = new pg.Client({ ...clientConfig(to, roleNames.identity), stream })
    fresh.on('error', () => {})
    await fresh.connect()
    return fresh
  }

  /** Ends every connection, whether it answers or not. */
  function cut(): void {
    for (const socket of sockets) socket.destroy(new Error('Connection terminated: the database does not answer'))
  }

  /** Throws where a request would only wait in vain. */
  function check(): void {
    if (away) throw unreachable()
  }

  async function close(): Promise<void> {
    clearInterval(timer)
    await beating
    await client?.end()
  }

  return { stream, check, cut, close }
}
