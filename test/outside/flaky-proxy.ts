import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

type Mishap = (request: IncomingMessage, response: ServerResponse, forward: () => Promise<Answer>) => Promise<void>
type Answer = { status: number; headers: Record<string, string | string[] | undefined>; body: Buffer }

/** What can happen between a client and Gatehouse. */
export const mishaps = {
  busy: async (_request, response) => {
    response.writeHead(503, { 'retry-after': '0', 'content-type': 'application/problem+json' })
    response.end(JSON.stringify({ detail: 'Too many uploads are under way.' }))
  },
  badGateway: async (_request, response) => {
    response.writeHead(502, { 'retry-after': '0' }).end('<h1>Bad gateway</h1>')
  },
  brokenOff: async (request) => {
    request.once('data', () => request.socket.destroy())
  },
  /** Gatehouse has taken the upload, and nobody hears of it. */
  answerLost: async (request, _response, forward) => {
    await forward()
    request.socket.destroy()
  },
} satisfies Record<string, Mishap>

/** Stands before a server and does to one request after the other what it is told; then it only forwards. */
export async function startFlakyProxy(target: string, plan: Mishap[]) {
  const keys: unknown[] = []
  const server = createServer(async (incoming, response) => {
    keys.push(incoming.headers['idempotency-key'])
    const forward = () => send(target, incoming)
    const mishap = plan.shift()
    if (mishap) return mishap(incoming, response, forward)
    const { status, headers, body } = await forward()
    response.writeHead(status, headers).end(body)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys, close }
}

async function send(target: string, incoming: IncomingMessage): Promise<Answer> {
  const { method, url, headers } = incoming
  const outgoing = request(target + url, { method: method!, headers })
  outgoing.end(await buffer(incoming))
  const answer = await new Promise<IncomingMessage>((done, fail) => outgoing.on('response', done).on('error', fail))
  return { status: answer.statusCode!, headers: answer.headers, body: await buffer(answer) }
}
