import { once } from 'node:events'
import { connect } from 'node:net'

export type PlainClient = { ask(request: Buffer): Promise<string>; close(): void }

const headEnd = '\r\n\r\n'
/** What the statuses of success begin with. */
const digit2 = '2'.charCodeAt(0)

/**
 * One connection that sends a prepared request, waits for the last byte of its answer and resolves to its body. It knows just enough of HTTP for
 * that: what a client does with an answer is not the server's time.
 */
export async function openPlainClient(url: string): Promise<PlainClient> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.setNoDelay(true)
  await once(socket, 'connect')

  function ask(request: Buffer): Promise<string> {
    return new Promise((resolve, reject) => {
      let received: Buffer = Buffer.alloc(0)
      let whole = Number.POSITIVE_INFINITY
      function take(chunk: Buffer): void {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
        if (whole === Number.POSITIVE_INFINITY) whole = lengthOf(received)
        if (received.length < whole) return
        socket.off('data', take)
        if (received[9] === digit2) resolve(received.toString('utf8', received.indexOf(headEnd) + headEnd.length))
        else reject(new Error(received.toString()))
      }
      socket.on('data', take)
      socket.write(request)
    })
  }

  return { ask, close: () => void socket.destroy() }
}

export function postRequest(url: string, token: string, body: string, contentType = 'application/json'): Buffer {
  const { pathname, search, host } = new URL(url)
  const head = [
    `POST ${pathname}${search} HTTP/1.1`,
    `host: ${host}`,
    `authorization: Bearer ${token}`,
    `content-type: ${contentType}`,
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** Of head and body; unknown until the whole head is there. */
function lengthOf(received: Buffer): number {
  const end = received.indexOf(headEnd)
  if (end < 0) return Number.POSITIVE_INFINITY
  const length = /\r\ncontent-length: *(\d+)/i.exec(received.toString('latin1', 0, end))?.[1]
  if (length === undefined) throw new Error('an answer without a length')
  return end + headEnd.length + Number(length)
}
