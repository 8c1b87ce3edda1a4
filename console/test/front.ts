import { connect, createServer } from 'node:net'

/** Passes connections on, as a load balancer does: its address is known before Gatehouse is there. */
export async function startFront(host = '127.0.0.1') {
  let target: URL | undefined
  const server = createServer((incoming) => {
    const outgoing = connect(Number(target!.port), target!.hostname)
    incoming.pipe(outgoing).pipe(incoming)
    for (const socket of [incoming, outgoing])
      socket.on('error', () => [incoming, outgoing].map((each) => each.destroy()))
    incoming.on('close', () => outgoing.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://${host}:${(server.address() as { port: number }).port}`,
    lead: (url: string) => {
      target = new URL(url)
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
