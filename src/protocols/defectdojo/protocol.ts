import type { Fault } from '../../kernel/contract/fault.ts'
import { type Protocol, type Refusal, schemeToken } from '../../kernel/contract/protocol.ts'

/** DefectDojo's API v2, as far as CI scripts import findings by it. */
export const defectDojo: Protocol = {
  name: 'DefectDojo',
  below: ['/api/v2/'],
  tokenIn: (headers) => schemeToken(headers, 'Token', 'Bearer'),
  refusal,
}

/** `{"field": ["message"]}` where a field is to blame, else `{"detail": "message"}`, as Django REST framework writes it. */
function refusal({ code, message, errors }: Fault, status: number): Refusal {
  if (code === 'unprocessable') return { status: 400, body: { file: [said(message, errors)] } }
  if (code === 'unknown_repository') return { status: 400, body: { product_name: [message] } }
  if (code !== 'validation_failed' || errors.length === 0) return { body: { detail: said(message, errors) } }
  const fields = errors.map(
    ({ pointer, detail }) => [pointer.split('/').at(-1) || 'non_field_errors', [detail]] as const,
  )
  return { status, body: Object.fromEntries(fields) }
}

function said(message: string, errors: Fault['errors']): string {
  return [message, ...errors.slice(0, 10).map(({ detail }) => detail)].join(' ')
}
