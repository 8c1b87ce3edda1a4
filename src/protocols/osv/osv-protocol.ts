import type { IncomingHttpHeaders } from 'node:http'
import type { Protocol } from '../../kernel/contract/protocol.ts'
import { basicPassword, schemeToken } from '../../kernel/contract/protocol.ts'

/** Codes of gRPC, which the server of OSV speaks behind its HTTP. */
const codes: Record<number, number> = { 400: 3, 401: 16, 403: 7, 404: 5, 429: 8, 503: 14 }
const unknown = 2

/** Clients of OSV send no token by themselves; where one can be had into them, it is a Bearer token or the password of an address. */
export const osvProtocol: Protocol = {
  name: 'OSV',
  below: ['/osv/'],
  tokenIn: (headers: IncomingHttpHeaders) => schemeToken(headers, 'Bearer') ?? basicPassword(headers),
  refusal: (fault, status) => ({ body: { code: codes[status] ?? unknown, message: fault.message } }),
}
