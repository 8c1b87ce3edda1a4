import { get, type IncomingMessage } from 'node:http'
import { poll } from '../../../test/servers/real-process.ts'

/** Long for a loaded machine, short enough that a protection that is missing is soon noticed. */
export const patienceMs = 30_000

export type TestStream = Awaited<ReturnType<typeof openTestStream>>

/** A client that reads events as they come, or not at all. */
export async function openTestStream(
  url: string,
  { headers, paused = false }: { headers: Record<string, string>; paused?: boolean },
) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { headers, agent: false }, resolve).on('error', reject)
  })
  let text = ''
  let ended = false
  response.on('close', () => (ended = true))
  response.on('error', () => {})
  if (!paused) response.on('data', (chunk: Buffer) => (text += chunk))
  const names = () => [...text.matchAll(/^data: (.*)$/gm)].flatMap(([, data]) => JSON.parse(data!).changed as string[])
  return {
    status: response.statusCode!,
    type: response.headers['content-type'],
    text: () => text,
    names,
    ended: () => ended,
    lastId: () => [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? '',
    heard: (name: string) => poll(`${name} is told`, async () => names().includes(name), patienceMs),
    whenEnded: () => poll('the stream ends', async () => ended, patienceMs),
    resume: () => response.resume(),
    close: () => response.destroy(),
  }
}
