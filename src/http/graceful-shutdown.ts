import type { Server, Socket } from 'node:net'
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { type Addresses, type Listening, listenAt } from './listen.ts'

// Long enough for requests that have left their client to arrive, short enough that nobody waits for a restart.
const lingerMs = 300
const quietMs = 100
const longestLingerMs = 3_000
// More than the 30 seconds a request may take.
const patienceMs = 35_000

/** The connections to the web server, and how they are closed without failing a request. */
export function createGracefulServer(app: FastifyInstance) {
  const connections = new Map<Socket, { since: number }>()
  let others: Server[] = []
  const whenClosing: (() => Promise<void>)[] = []
  let closing = false
  let lastActivity = 0

  app.server.on('connection', (socket: Socket) => {
    lastActivity = performance.now()
    connections.set(socket, { since: lastActivity })
    socket.once('close', () => connections.delete(socket))
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (closing) {
      lastActivity = performance.now()
      reply.header('connection', 'close')
    }
    done(null, payload)
  })

  app.addHook('onClose', (_app, done) => {
    for (const other of others) other.close()
    done()
  })

  async function open(at: { host: string; port: number }, addressesOf?: Addresses): Promise<Listening> {
    const listening = await listenAt(app, at, addressesOf)
    others = listening.others
    return listening
  }

  /**
   * For a moment everybody is still answered, each with `Connection: close`, so that clients go elsewhere. When it has
   * become quiet nobody new is let in; connections that wait for nothing are closed and the others when they have
   * their answer. A request that would take for ever is cut off in the end.
   */
  async function close(): Promise<void> {
    closing = true
    await Promise.all(whenClosing.map((end) => end()))
    const since = performance.now()
    await delay(lingerMs)
    while (performance.now() - lastActivity < quietMs && performance.now() - since < longestLingerMs) await delay(20)
    // Right after the event loop has taken in what had arrived: what is closed now has nothing unread.
    await turn()
    const closed = Promise.all([app.server, ...others].map(closedServer))
    const sweeping = setInterval(sweep, 50)
    const patience = setTimeout(() => app.server.closeAllConnections(), patienceMs)
    await closed
    clearInterval(sweeping)
    clearTimeout(patience)
  }

  /** Connections whose answer had left before we began to close, and those that never asked anything. */
  function sweep(): void {
    app.server.closeIdleConnections()
    const before = performance.now() - lingerMs
    for (const [socket, { since }] of connections) if (socket.bytesRead === 0 && since < before) socket.destroy()
  }

  /** For what would go on for as long as anybody listens: it is ended before anybody is waited for. */
  function onClosing(end: () => Promise<void>): void {
    whenClosing.push(end)
    app.addHook('preClose', end)
  }

  return { open, close, onClosing }
}

function closedServer(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()))
}
