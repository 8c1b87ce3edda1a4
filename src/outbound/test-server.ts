import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { createOutbound, type OutboundOptions } from './client/client.ts'

export type Seen = { method: string; url: string; headers: IncomingMessage['headers']; body: string; socket: Socket }
export type TestServer = { port: number; seen: Seen[]; connections: number; sockets: Set<Socket> }

type Answer = (request: IncomingMessage, response: ServerResponse, server: TestServer) => void

/** A real server that writes down who came and what they brought. */
export async function startServer(
  t: TestContext,
  answer: Answer,
  { host = '127.0.0.1', port = 0, tls }: { host?: string; port?: number; tls?: { key: string; cert: string } } = {},
): Promise<TestServer> {
  const record: TestServer = { port: 0, seen: [], connections: 0, sockets: new Set() }
  const listener: RequestListener = async (request, response) => {
    const chunks: Buffer[] = []
    request.on('error', () => {})
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url = '', headers, socket } = request
    record.seen.push({ method, url, headers, body: Buffer.concat(chunks).toString(), socket })
    answer(request, response, record)
  }
  const server = tls ? createSecureServer(tls, listener) : createServer(listener)
  server.on('connection', (socket: Socket) => {
    record.connections++
    record.sockets.add(socket)
    socket.on('error', () => {}).on('close', () => record.sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(port, host, resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  record.port = (server.address() as AddressInfo).port
  return record
}

export function say(text: string, status = 200, headers: Record<string, string> = {}): Answer {
  return (_request, response) => response.writeHead(status, headers).end(text)
}

/** An outbound client whose names all lead to 127.0.0.1, which is allowed, unless the test says otherwise. */
export function outboundFor(t: TestContext, options: Partial<OutboundOptions> = {}) {
  const outbound = createOutbound({ allow: '127.0.0.1', resolver: async () => ['127.0.0.1'], ...options })
  t.after(() => outbound.close())
  return outbound
}
