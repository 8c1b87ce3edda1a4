import type { FaultCode } from '../../kernel/contract/fault.ts'
import { headerToken, type Protocol, schemeToken } from '../../kernel/contract/protocol.ts'

/** Statuses that its clients know, where ours is another one. */
const statuses: Partial<Record<FaultCode, number>> = {
  unknown_repository: 404,
  unprocessable: 400,
  wrong_credential_kind: 401,
}

/** Dependency-Track's REST API v1, as its 4.x and 5.x have it: the part that CI clients use. */
export const dependencyTrack: Protocol = {
  name: 'Dependency-Track',
  below: ['/api/v1/', '/api/version'],
  tokenIn: (headers) => headerToken(headers, 'x-api-key') ?? schemeToken(headers, 'Bearer'),
  // As it refuses a bill (RFC 9457). Clients that expect plain text print it as it is.
  refusal: (fault, usual) => {
    const status = statuses[fault.code] ?? usual
    const errors = fault.errors.map(({ pointer, detail }) => `${pointer} ${detail}`.trim())
    const body = { status, title: titleOf(fault.code), detail: fault.message, ...(errors.length > 0 && { errors }) }
    return { status, body: { ...body, code: fault.code }, mediaType: 'application/problem+json' }
  },
}

function titleOf(code: FaultCode): string {
  if (code === 'unprocessable') return 'The uploaded BOM is invalid'
  return code === 'unknown_repository' || code === 'not_found'
    ? 'The project could not be found'
    : 'Refused by Gatehouse'
}
