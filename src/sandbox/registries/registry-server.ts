import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'

export type RegistryRequest = { method: string; path: string; headers: IncomingHttpHeaders; body: Buffer }
export type RegistryAnswer = { status?: number; headers?: Record<string, string>; body?: Buffer | string }

/** What a test may do to it: answer in its place, or take the connection itself. */
export type RegistryControl = {
  meddle?: ((request: RegistryRequest, honest: RegistryAnswer) => RegistryAnswer | Promise<RegistryAnswer>) | undefined
  takeOver?: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined
}

/** `tls`: with a certificate, over https. */
export type RegistryPlace = { port?: number; tls?: { key: string; cert: string } | undefined }

const mostSeen = 100_000

/** A package registry as a server on this machine. Bodies are bytes, and it remembers who asked for what. */
export async function startRegistryServer(
  answer: (request: RegistryRequest) => RegistryAnswer,
  { port = 0, tls }: RegistryPlace = {},
) {
  const seen: RegistryRequest[] = []
  const control: RegistryControl = {}
  const listener = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (control.takeOver?.(incoming, outgoing)) return
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const { method = 'GET', url = '/', headers } = incoming
    const request = { method, path: url.split('?')[0]!, headers, body: Buffer.concat(chunks) }
    seen.push(request)
    if (seen.length > mostSeen) seen.shift()
    const honest = answer(request)
    const given = control.meddle ? await control.meddle(request, honest) : honest
    outgoing.writeHead(given.status ?? 200, given.headers ?? {}).end(method === 'HEAD' ? undefined : (given.body ?? ''))
  }
  const server = tls ? createSecureServer(tls, listener) : createServer(listener)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    control,
    close() {
      server.closeAllConnections()
      return new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
