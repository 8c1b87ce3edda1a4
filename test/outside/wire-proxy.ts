import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

type Target = { host: string; port: number; user: string; password: string; database: string }

/**
 * Stands between Gatehouse and PostgreSQL and takes things out of what is sent, as a pooler or a gateway may: the start-up
 * parameter `options`, and statements whose text it is told. What is taken out becomes blanks, so that lengths stay right. While it is
 * silent it takes what is sent and passes nothing on, as a network that was lost does.
 */
export async function startWireProxy(t: TestContext, target: Target) {
  const sockets = new Set<Socket>()
  const proxy = { dropped: [] as string[], sawOptions: false, isSilent: false }
  const server = createServer((client) => {
    const upstream = connect(join(target.host, `.s.PGSQL.${target.port}`))
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
    let started = false
    client.on('data', (bytes: Buffer) => {
      if (proxy.isSilent) return
      upstream.write(started ? blank(bytes) : withoutOptions(bytes))
      started = true
    })
    upstream.on('data', (bytes: Buffer) => proxy.isSilent || client.write(bytes))
  })

  function blank(bytes: Buffer): Buffer {
    let text = bytes.toString('latin1')
    for (const statement of proxy.dropped) text = text.replace(statement, ' '.repeat(statement.length))
    return Buffer.from(text, 'latin1')
  }

  /** StartupMessage: length, protocol version, then names and values that each end with a zero byte. */
  function withoutOptions(bytes: Buffer): Buffer {
    const fields = bytes.toString('latin1', 8).split('\0')
    const at = fields.findIndex((name, index) => index % 2 === 0 && name === 'options')
    if (at < 0) return bytes
    proxy.sawOptions = true
    fields.splice(at, 2)
    const body = Buffer.from(fields.join('\0'), 'latin1')
    const head = Buffer.from(bytes.subarray(0, 8))
    head.writeInt32BE(body.length + 8)
    return Buffer.concat([head, body])
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  t.after(() => {
    server.close()
    cut()
  })
  const { port } = server.address() as { port: number }
  const [user, password] = [target.user, target.password].map(encodeURIComponent)
  const url = `postgres://${user}:${password}@127.0.0.1:${port}/${target.database}`
  return Object.assign(proxy, { url, cut })
}
