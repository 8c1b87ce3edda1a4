import type { Endpoint } from '../../kernel/contract/endpoint.ts'
import { hasVersion } from '../../kernel/contract/etag.ts'
import type { Json } from './openapi-schemas.ts'

const header = (description: string, example: string): Json => ({ description, schema: { type: 'string' }, example })

export const responseHeaders: Record<string, Json> = {
  'X-Request-Id': header('Names this request in the log', 'q0JtVm3xWcA-0002f'),
  RateLimit: header('What is left of the quota, and in how many seconds it starts again', '"default";r=599;t=60'),
  'Retry-After': header('Seconds to wait before the next try', '5'),
  'WWW-Authenticate': header('RFC 6750: how to authenticate', 'Bearer realm="gatehouse"'),
  ETag: header('The version of the resource, for `If-Match`', '"3"'),
  Deprecation: header('RFC 9745: since when the operation is deprecated', '@1793491200'),
  Sunset: header('RFC 8594: when the operation goes away', 'Wed, 01 Nov 2028 00:00:00 GMT'),
  Link: header(
    'RFC 8288: the operation to use instead',
    '</api/policies/v1/deployments/1/policies>; rel="successor-version"',
  ),
  'Content-Disposition': header('RFC 6266: a name for the file', 'attachment; filename="findings.csv"'),
}

export const headerParameters: Record<string, Json> = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Of requests that change something: the same key and request within 24 hours has one effect and one answer',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: false,
    description: 'The `ETag` that was read: if the resource has changed since, 412 and nothing happens',
    schema: { type: 'string', maxLength: 1000 },
  },
}

/** The request headers that an operation looks at. */
export function headerParametersOf(contract: Endpoint): string[] {
  const bound = contract.permission !== 'anyone' && contract.permission !== 'authenticated'
  const names = bound && contract.method !== 'GET' ? ['IdempotencyKey'] : []
  return contract.faults.includes('precondition_failed') ? [...names, 'IfMatch'] : names
}

/** The headers of its answer. */
export function responseHeadersOf(contract: Endpoint): Json {
  const names = ['RateLimit']
  if (hasVersion(contract.response)) names.push('ETag')
  if (contract.deprecated) names.push('Deprecation', 'Sunset', 'Link')
  if (contract.download && !contract.events) names.push('Content-Disposition')
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
