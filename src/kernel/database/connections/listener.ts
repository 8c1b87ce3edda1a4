import pg from 'pg'
import type { ConnectionOptions } from './connection.ts'
import type { Heartbeat } from './heartbeat.ts'
import { connectSecurely } from './secure-session.ts'
import { sessions } from './session-pooling.ts'

export type Listener = { close(): Promise<void> }

const pauseMs = 1_000

/**
 * A connection of its own that waits for notifications of a channel. One that breaks is made again; what was said meanwhile
 * is lost, so `heard` is called when it stands again too.
 */
export function listen(to: ConnectionOptions, heartbeat: Heartbeat, channel: string, heard: () => void): Listener {
  let client: pg.Client | undefined
  let closed = false
  let retry: NodeJS.Timeout | undefined
  let opening: Promise<void> | undefined
  open()

  function open(): void {
    opening = connect()
  }

  async function connect(): Promise<void> {
    let lost = false
    const again = () => {
      if (lost || closed) return
      lost = true
      retry = setTimeout(open, pauseMs).unref()
    }
    let fresh: pg.Client | undefined
    try {
      fresh = await connectSecurely(to, sessions.worker, { stream: heartbeat.stream })
      client = fresh
      fresh.on('error', again)
      fresh.on('end', again)
      fresh.on('notification', heard)
      await fresh.query(`listen ${pg.escapeIdentifier(channel)}`)
      heard()
    } catch {
      again()
      fresh?.end().catch(() => {})
    }
  }

  async function close(): Promise<void> {
    closed = true
    clearTimeout(retry)
    await opening
    await client?.end().catch(() => {})
  }

  return { close }
}
