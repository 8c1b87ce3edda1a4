import type { EventEmitter } from 'node:events'
import pg from 'pg'

type Wired = { connection: EventEmitter }
type Sent = { text?: string; name?: string }

/** A statement, or several that were sent without waiting for each other, which cost the time of one. */
export type RoundTrip = string[]

/**
 * Watches the transactions of this process from here on. Answers, for each that has ended, its round trips: what was sent
 * while nothing else was under way on its connection begins one.
 */
export function watchRoundTrips() {
  const transactions: RoundTrip[][] = []
  const open = new Map<object, { trips: RoundTrip[]; underWay: number }>()
  const plain = pg.Client.prototype.query as (...given: unknown[]) => unknown
  const watched = new Map<object & Wired, () => void>()

  function watch(client: object & Wired): void {
    if (watched.has(client)) return
    const onReady = () => {
      const transaction = open.get(client)
      if (!transaction) return
      transaction.underWay--
      const isOver = /^(commit|rollback)$/.test(transaction.trips.at(-1)?.at(-1) ?? '')
      if (transaction.underWay > 0 || !isOver) return
      open.delete(client)
      transactions.push(transaction.trips)
    }
    watched.set(client, onReady)
    client.connection.on('readyForQuery', onReady)
  }

  pg.Client.prototype.query = function (this: object & Wired, ...given: unknown[]) {
    const text = typeof given[0] === 'string' ? given[0] : ((given[0] as Sent).text ?? '')
    watch(this)
    if (text === 'begin') open.set(this, { trips: [], underWay: 0 })
    const transaction = open.get(this)
    if (transaction) {
      if (transaction.underWay++ === 0) transaction.trips.push([])
      transaction.trips.at(-1)!.push(text)
    }
    return plain.apply(this, given)
  } as typeof pg.Client.prototype.query

  function stop(): void {
    for (const [client, onReady] of watched) client.connection.off('readyForQuery', onReady)
    pg.Client.prototype.query = plain as typeof pg.Client.prototype.query
  }

  return { transactions, stop }
}
