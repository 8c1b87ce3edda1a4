import { trimEnd } from '../../kernel/text/trim.ts'
import { CommandProblem } from '../command-problem.ts'

const timeoutMs = 30_000

// biome-ignore lint/suspicious/noExplicitAny: whoever calls knows the contract
type ServerAnswer = { status: number; body: any }

/** One call of the server's interface, through the proxy that the environment names. */
export async function callServer(
  url: URL,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  { token, body }: { token?: string; body?: object } = {},
): Promise<ServerAnswer> {
  const { EnvHttpProxyAgent, request } = await import('../http-client.ts')
  const dispatcher = new EnvHttpProxyAgent({ headersTimeout: timeoutMs, bodyTimeout: timeoutMs })
  const headers = {
    accept: 'application/json',
    ...(body && { 'content-type': 'application/json' }),
    ...(token && { authorization: `Bearer ${token}` }),
  }
  try {
    const target = `${url.origin}${trimEnd(url.pathname, '/')}${path}`
    const answer = await request(target, { dispatcher, method, headers, body: body ? JSON.stringify(body) : null })
    const read = (await answer.body.json().catch(() => undefined)) as unknown
    if (read === undefined || read === null)
      throw new CommandProblem(`${url.origin} answers ${answer.statusCode}, and not as Gatehouse does.`)
    return { status: answer.statusCode, body: read }
  } catch (error) {
    if (error instanceof CommandProblem) throw error
    throw new CommandProblem(`${url.origin} cannot be reached (${(error as { code?: string }).code ?? 'no answer'}).`)
  } finally {
    await dispatcher.destroy()
  }
}
