import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type SandboxRequest = {
  method: string
  /** Decoded parts of the path. */
  path: string[]
  query: URLSearchParams
  headers: Record<string, string | undefined>
  body: string
}

/** An object becomes JSON, a string goes as it is. */
/** How a test makes a service of the sandbox fail. */
export type ServiceTrouble = {
  /** In place of the answer, if it gives one. */
  trouble?: ((request: SandboxRequest) => SandboxAnswer | undefined) | undefined
  /** In place of the answer, after everything happened. */
  lostAnswer?: ((request: SandboxRequest) => SandboxAnswer | undefined) | undefined
}

export type SandboxAnswer = { status?: number; headers?: Record<string, string>; body?: unknown }
export type Answerer = (request: SandboxRequest) => SandboxAnswer | Promise<SandboxAnswer>

export type LocalServer = { url: string; seen: SandboxRequest[]; close(): Promise<void> }

const mostSeen = 1_000

/** A part of the outside world as a server on this machine. It remembers the last requests. */
export async function startLocalServer(answer: Answerer, port = 0): Promise<LocalServer> {
  const seen: SandboxRequest[] = []
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://sandbox')
    const request = {
      method: incoming.method ?? 'GET',
      path: pathname.split('/').filter(Boolean).map(decodeURIComponent),
      query: searchParams,
      headers: Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])),
      body: Buffer.concat(chunks).toString('utf8'),
    }
    seen.push(request)
    if (seen.length > mostSeen) seen.shift()
    const { status = 200, headers = {}, body = '' } = await answer(request)
    const isText = typeof body === 'string'
    const type = isText ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8'
    outgoing.writeHead(status, { 'content-type': type, ...headers }).end(isText ? body : JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
