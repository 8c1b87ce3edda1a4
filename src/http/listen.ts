import { lookup } from 'node:dns/promises'
import { type AddressInfo, createServer, isIP, type Server } from 'node:net'
import type { FastifyInstance } from 'fastify'

export type Addresses = (host: string) => Promise<string[]>
export type Listening = {
  addresses: string[]
  /** Addresses of the host that this machine does not have, as `::1` where it is told of but switched off. */
  missing: string[]
  /** Those beside the server's own. */
  others: Server[]
}

const backlog = 1024
const notOurs = ['EADDRNOTAVAIL', 'EAFNOSUPPORT']

/**
 * Listens at every address that the host has: `localhost` often has two, and clients take either. If another program is at one
 * of them nothing is opened, or some clients would meet it in our place.
 */
export async function listenAt(
  app: FastifyInstance,
  { host, port }: { host: string; port: number },
  addressesOf: Addresses = systemAddresses,
): Promise<Listening> {
  const listening: Listening = { addresses: [], missing: [], others: [] }
  let failure: unknown
  for (const address of isIP(host) ? [host] : new Set(await addressesOf(host))) {
    try {
      if (listening.addresses.length === 0) await app.listen({ host: address, port, backlog })
      else listening.others.push(await alsoAt(app, address))
      listening.addresses.push(address)
    } catch (error) {
      if (!notOurs.includes((error as NodeJS.ErrnoException).code ?? '')) {
        for (const other of listening.others) other.close()
        throw error
      }
      failure = error
      listening.missing.push(address)
    }
  }
  if (listening.addresses.length === 0) throw failure
  return listening
}

/** Hands its connections to the one server, which treats and closes them like its own. */
function alsoAt(app: FastifyInstance, host: string): Promise<Server> {
  const { port } = app.server.address() as AddressInfo
  // As a web server has them.
  const options = { allowHalfOpen: true, noDelay: true }
  const server = createServer(options, (socket) => app.server.emit('connection', socket))
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, backlog, ipv6Only: true }, () => resolve(server))
  })
}

async function systemAddresses(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address)
}
