import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { checkTraceRequest, type OtlpSpan } from './otlp-json.ts'

type Received = { headers: Record<string, unknown>; text: string; spans: OtlpSpan[] }

/** Takes spans as a collector does, and holds every request against the JSON rules of OTLP. */
export async function startCollector(t: TestContext) {
  const requests: Received[] = []
  let status = 200
  const waiting = new Set<() => void>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    if (status === 200) requests.push({ headers: request.headers, text, spans: checkTraceRequest(JSON.parse(text)) })
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
    for (const look of waiting) look()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })

  const spans = () => requests.flatMap((each) => each.spans)

  /** Resolves when a request has come after which it holds. */
  function until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!holds()) return
        waiting.delete(look)
        resolve()
      }
      waiting.add(look)
      look()
    })
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    spans,
    until,
    answer: (with_: number) => {
      status = with_
    },
  }
}
