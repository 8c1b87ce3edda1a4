import type { TestGatehouse } from '../../../test/gatehouse.ts'

const meta = 'io.modelcontextprotocol/'

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Said = { status: number; headers: Headers; body: any }

/** A client of the Model Context Protocol, in the dialect of 2026-07-28. */
export function mcpClient(gatehouse: Pick<TestGatehouse, 'url'>, token: string, capabilities: object = {}) {
  let id = 0

  /** What a client would send; `more` puts other headers in the place of the right ones, '' for none. */
  async function send(method: string, params: object = {}, more: Record<string, string> = {}): Promise<Said> {
    const _meta = { [`${meta}protocolVersion`]: '2026-07-28', [`${meta}clientCapabilities`]: capabilities }
    const name = (params as { name?: string }).name
    const right = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...(name && { 'mcp-name': name }) }
    return post({ jsonrpc: '2.0', id: ++id, method, params: { _meta, ...params } }, { ...right, ...more })
  }

  async function post(body: unknown, more: Record<string, string> = {}): Promise<Said> {
    const headers = Object.entries({ authorization: `Bearer ${token}`, 'content-type': 'application/json', ...more })
    const response = await fetch(`${gatehouse.url}/mcp`, {
      method: 'POST',
      headers: Object.fromEntries(headers.filter(([, value]) => value !== '')),
      body: JSON.stringify(body),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text && JSON.parse(text) }
  }

  /** The result of a tool. */
  async function call(name: string, args: object = {}, more: object = {}) {
    const { body } = await send('tools/call', { name, arguments: args, ...more })
    if (!body.result) throw new Error(JSON.stringify(body))
    return body.result
  }

  return { send, post, call }
}
