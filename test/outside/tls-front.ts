import { request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { certificateFor } from '../../src/outbound/test-certificate.ts'

/** What terminates TLS before Gatehouse, as a reverse proxy does. */
export async function startTlsFront(target: string) {
  const { key, cert } = certificateFor('IP:127.0.0.1')
  const server = createServer({ key, cert }, (incoming, outgoing) => {
    const { method, url, headers } = incoming
    const passed = request(`${target}${url}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cert,
    close() {
      server.closeAllConnections()
      return new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
