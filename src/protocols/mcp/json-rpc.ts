/** JSON-RPC 2.0, and the codes that the Model Context Protocol adds to it. */
const rpcCodes = {
  invalidRequest: -32_600,
  unknownMethod: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
  headerMismatch: -32_020,
  unsupportedVersion: -32_022,
} as const

export type RpcId = string | number

export type RpcMessage = {
  /** Undefined for a notification, which is not answered. */
  id: RpcId | undefined
  method: string
  params: Record<string, unknown>
}

/** A message that cannot be answered with a result. `status` is that of the HTTP answer. */
export class RpcError extends Error {
  readonly code: number
  readonly status: number
  readonly data: object | undefined

  constructor(
    code: keyof typeof rpcCodes,
    message: string,
    { status = 400, data }: { status?: number; data?: object } = {},
  ) {
    super(message)
    this.name = 'RpcError'
    this.code = rpcCodes[code]
    this.status = status
    this.data = data
  }
}

/** 'response' for the answer to a request of ours: we send none, so there is nothing to do with it. */
export function readMessage(body: unknown): RpcMessage | 'response' {
  if (Array.isArray(body)) throw new RpcError('invalidRequest', 'Send one message at a time; batches are not accepted.')
  if (!isObject(body) || body.jsonrpc !== '2.0') {
    throw new RpcError('invalidRequest', 'The body is not a JSON-RPC 2.0 message.')
  }
  const { id, method, params = {} } = body
  if (method === undefined && ('result' in body || 'error' in body)) return 'response'
  if (typeof method !== 'string') throw new RpcError('invalidRequest', 'The message has no method.')
  if (id !== undefined && typeof id !== 'string' && !Number.isInteger(id)) {
    throw new RpcError('invalidRequest', 'The id of a message must be a string or a whole number.')
  }
  if (!isObject(params)) throw new RpcError('invalidRequest', 'The params of a message must be an object.')
  return { id: id as RpcId | undefined, method, params }
}

export function resultMessage(id: RpcId, result: object): object {
  return { jsonrpc: '2.0', id, result }
}

/** Without an id where the message had none that could be read: the schemas of the protocol have no null there. */
export function errorMessage(id: RpcId | undefined, { code, message, data }: RpcError): object {
  return { jsonrpc: '2.0', ...(id !== undefined && { id }), error: { code, message, ...(data && { data }) } }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
