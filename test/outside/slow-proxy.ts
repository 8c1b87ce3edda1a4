import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'

const tickMs = 50

/** Stands before a server on this machine. Requests pass as they come; answers pass at the pace that it is told, or not at all. */
export async function startSlowProxy(t: TestContext, target: string) {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let bytesPerTick = Number.POSITIVE_INFINITY

  async function deliver(from: Socket, to: Socket): Promise<void> {
    for await (const chunk of from as AsyncIterable<Buffer>) {
      for (let at = 0; at < chunk.length; ) {
        const piece = chunk.subarray(at, at + bytesPerTick)
        if (piece.length > 0) to.write(piece)
        at += piece.length
        if (at < chunk.length) await delay(tickMs, undefined, { ref: false })
      }
    }
    to.end()
  }

  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
    client.pipe(upstream)
    deliver(upstream, client).catch(() => client.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** In bytes a second; 0 holds answers back, infinity lets them pass as they come. */
    pace: (bytesPerSecond: number) => {
      bytesPerTick = (bytesPerSecond * tickMs) / 1_000
    },
  }
}
