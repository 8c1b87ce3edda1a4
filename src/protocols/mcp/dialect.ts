import type { McpRequest } from '../../kernel/contract/adapters/mcp-adapter.ts'
import { isObject, RpcError, type RpcMessage } from './json-rpc.ts'

/** Each request says what it needs; there is no session. */
export const modernVersion = '2026-07-28'
/** Begun with `initialize`; the newest first. */
export const earlierVersions = ['2025-11-25', '2025-06-18', '2025-03-26'] as const
const supported: readonly string[] = [modernVersion, ...earlierVersions]

const meta = (name: string) => `io.modelcontextprotocol/${name}`

/** How a client speaks, and whether its user can be asked something in the middle of a call. */
export type Dialect = { isModern: boolean; asksUser: boolean }

type Headers = McpRequest['headers']

/** By the message, or by the header where that says nothing (basic/versioning of 2026-07-28, "Compatibility matrix"). */
export function dialectOf(message: RpcMessage, headers: Headers): Dialect {
  const { version } = headers
  if (version !== undefined && !supported.includes(version)) throw unsupported(version)
  const said = isObject(message.params._meta) ? message.params._meta : {}
  const isModern = version === modernVersion || said[meta('protocolVersion')] !== undefined
  if (!isModern) return { isModern, asksUser: false }
  checkHeaders(message, said, headers)
  if (message.id === undefined) return { isModern, asksUser: false }
  const capabilities = said[meta('clientCapabilities')]
  if (!isObject(capabilities)) {
    throw new RpcError('invalidParams', `params._meta lacks '${meta('clientCapabilities')}'.`)
  }
  const { elicitation } = capabilities
  // Without a mode it is that of forms.
  const asksUser = isObject(elicitation) && (isObject(elicitation.form) || elicitation.url === undefined)
  return { isModern, asksUser }
}

/** The headers repeat the message, for whoever stands between: what they decided about must be what is done. */
function checkHeaders({ id, method, params }: RpcMessage, said: Record<string, unknown>, headers: Headers): void {
  const version = said[meta('protocolVersion')]
  if (id !== undefined || version !== undefined) requireEqual('MCP-Protocol-Version', headers.version, version)
  if (typeof version === 'string' && !supported.includes(version)) throw unsupported(version)
  requireEqual('Mcp-Method', headers.method, method)
  if (method === 'tools/call') requireEqual('Mcp-Name', decoded(headers.name), params.name)
}

function requireEqual(header: string, sent: string | undefined, inMessage: unknown): void {
  if (sent === undefined) throw new RpcError('headerMismatch', `The header ${header} is missing.`)
  if (sent.trim() !== inMessage) throw new RpcError('headerMismatch', `The header ${header} does not fit the message.`)
}

/** What is not plain ASCII comes as `=?base64?…?=`. */
function decoded(header: string | undefined): string | undefined {
  const encoded = header && /^=\?base64\?([A-Za-z0-9+/=]*)\?=$/.exec(header.trim())?.[1]
  return encoded ? Buffer.from(encoded, 'base64').toString('utf8') : header
}

function unsupported(requested: string): RpcError {
  const message = 'This version of the protocol is not spoken here.'
  return new RpcError('unsupportedVersion', message, { data: { supported, requested: requested.slice(0, 50) } })
}
