import { Socket } from 'node:net'

/** The sockets of connections to one server, which can all be ended at once, whether it answers or not. */
export function createOpenSockets(onClose: () => void) {
  const sockets = new Set<Socket>()

  /** For pg's option `stream`. */
  function stream(): Socket {
    const socket = new Socket()
    sockets.add(socket)
    socket.once('close', () => {
      sockets.delete(socket)
      onClose()
    })
    return socket
  }

  function cut(why: string): void {
    for (const socket of sockets) socket.destroy(new Error(`Connection terminated: ${why}`))
  }

  return { stream, cut }
}
