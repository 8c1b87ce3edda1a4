import type { Socket } from 'node:net'
import pg from 'pg'

/** What pg's types say in a dozen ways. */
type AnyClient = new (config?: pg.ClientConfig) => { query(...given: unknown[]): unknown }

/** What is sent until `later` comes leaves in one write: each is a system call, and wakes a process of the server. */
export function collectWrites(client: object, later: (flush: () => void) => unknown): void {
  const { stream } = (client as { connection: { stream: Socket } }).connection
  if (stream.writableCorked > 0) return
  stream.cork()
  later(() => stream.uncork())
}

class Collecting extends (pg.Client as unknown as AnyClient) {
  override query(...given: unknown[]): unknown {
    collectWrites(this, process.nextTick)
    return super.query(...given)
  }
}

/** A client whose statements leave together, once whoever sends them waits for an answer. */
export const CollectingClient = Collecting as unknown as typeof pg.Client
