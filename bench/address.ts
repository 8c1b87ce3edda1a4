import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Server } from '../test/outside/standby.ts'

/**
 * What a proxy or a virtual address is: it leads to one server, and later to another. Every byte is so many milliseconds on its
 * way, as between two machines.
 */
export async function startAddress(first: Server, awayMs = 0) {
  let target: Server | undefined = first
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (client) => {
    if (!target) return client.destroy()
    const { host, port } = target.connection
    const upstream = connect(join(host, `.s.PGSQL.${port}`))
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      from.on('data', (bytes) => setTimeout(() => to.write(bytes), awayMs))
    }
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { user, password, database } = first.connection
  const cut = () => {
    target = undefined
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `postgres://${user}:${password}@127.0.0.1:${(server.address() as AddressInfo).port}/${database}`,
    cut,
    leadTo: (next: Server) => {
      target = next
    },
    close: () => {
      cut()
      server.close()
    },
  }
}
