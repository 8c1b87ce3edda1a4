import type { TSchema } from 'typebox'
import type { Endpoint } from '../../kernel/contract/endpoint.ts'
import { type FaultCode, faults } from '../../kernel/contract/fault.ts'

type Json = Record<string, unknown>

const description = `Gatehouse is a self-hosted code and supply-chain security platform.

Every operation has a stability label: *experimental* operations may change or be removed without notice, *beta* ones may
still change before general availability, *stable* ones do not. Errors are \`application/problem+json\` (RFC 9457).`

/** OpenAPI 3.1 from the contracts alone. */
export function openApiOf(contracts: readonly Endpoint[], version: string): Json {
  const paths: Record<string, Json> = {}
  for (const contract of contracts) {
    const path = contract.path.replace(/:([A-Za-z]+)/g, '{$1}')
    paths[path] = { ...paths[path], [contract.method.toLowerCase()]: operationOf(contract) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Gatehouse', version, description, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/' }],
    tags: [...new Set(contracts.map((contract) => contract.tag))].map((name) => ({ name })),
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: { securitySchemes, schemas: { Problem: problemSchema } },
  }
}

const securitySchemes = {
  ServiceWebToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'gth_…',
    description: 'An API token with Web API access',
  },
  ServiceJWT: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The JSON Web Token of a signed-in user',
  },
}

const problemSchema = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'requestId'],
  properties: {
    type: { type: 'string', description: 'Address of the documentation of this error' },
    title: { type: 'string', description: 'What kind of error it is' },
    status: { type: 'integer', description: 'HTTP status' },
    detail: { type: 'string', description: 'What went wrong this time' },
    instance: { type: 'string', description: 'Path of the request' },
    code: { type: 'string', enum: Object.keys(faults), description: 'Stable name of the error' },
    requestId: { type: 'string', description: 'Names this request in the log' },
    errors: {
      type: 'array',
      description: 'Each fault of the request',
      items: {
        type: 'object',
        required: ['pointer', 'detail'],
        properties: {
          pointer: { type: 'string', description: 'JSON pointer into the body; /path and /query for the address' },
          detail: { type: 'string', description: 'What is wrong there' },
        },
      },
    },
  },
}

function operationOf(contract: Endpoint): Json {
  return {
    operationId: contract.id,
    summary: contract.summary,
    ...(contract.description ? { description: contract.description } : {}),
    tags: [contract.tag],
    'x-stability': contract.stability,
    ...(contract.deprecated ? { deprecated: true } : {}),
    'x-permission': contract.permission,
    security: securityOf(contract),
    ...withParameters(contract),
    ...withRequestBody(contract),
    responses: {
      200: { description: 'Done', content: contentOf(contract) },
      ...errorResponses(contract),
    },
  }
}

function contentOf({ response, download }: Endpoint): Json {
  const content = { schema: clean(response, false) }
  return Object.fromEntries((download?.mediaTypes ?? ['application/json']).map((type) => [type, content]))
}

function withRequestBody({ body, upload }: Endpoint): Json {
  const schema = body && clean(body, true)
  if (upload?.form === 'document')
    return { requestBody: { required: true, content: { 'application/octet-stream': {} } } }
  if (!upload) return body ? { requestBody: { required: true, content: { 'application/json': { schema } } } } : {}
  const form = {
    type: 'object',
    required: [upload.bodyPart],
    properties: { [upload.bodyPart]: schema },
    additionalProperties: { type: 'string', contentMediaType: 'application/octet-stream', description: 'A file' },
  }
  const encoding = { [upload.bodyPart]: { contentType: 'application/json' } }
  return { requestBody: { required: true, content: { 'multipart/form-data': { schema: form, encoding } } } }
}

function securityOf(contract: Endpoint): Json[] {
  const token = { ServiceWebToken: [] }
  const jwt = { ServiceJWT: [] }
  return { none: [], token: [token], jwt: [jwt], both: [token, jwt] }[contract.security]
}

function withParameters(contract: Endpoint): Json {
  const inPath = parametersOf(contract.params, 'path')
  const inQuery = contract.query ? parametersOf(contract.query, 'query') : []
  const idempotency = {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description: 'The same key and request within 24 hours has one effect and one answer',
    schema: { type: 'string', maxLength: 255 },
  }
  const bound = contract.permission !== 'anyone' && contract.permission !== 'authenticated'
  const headers = bound && contract.method !== 'GET' ? [idempotency] : []
  const parameters = [...inPath, ...inQuery, ...headers]
  return parameters.length > 0 ? { parameters } : {}
}

function parametersOf(schema: TSchema, place: 'path' | 'query'): Json[] {
  const { properties = {}, required = [] } = schema as { properties?: Record<string, TSchema>; required?: string[] }
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = clean(property, true) as Json
    return { name, in: place, required: required.includes(name), description, schema: rest }
  })
}

function errorResponses(contract: Endpoint): Json {
  const codes: FaultCode[] = ['validation_failed', 'too_many_requests', 'internal', 'unavailable', ...contract.faults]
  if (contract.security !== 'none') codes.push('unauthenticated', 'forbidden', 'not_found')
  if (contract.body || contract.upload) codes.push('payload_too_large', 'unsupported_media_type')
  const byStatus = Map.groupBy(new Set(codes), (code) => faults[code].status)
  const sorted = [...byStatus].sort(([a], [b]) => a - b)
  return Object.fromEntries(
    sorted.map(([status, each]) => [
      status,
      {
        description: each.map((code) => `${code}: ${faults[code].title}`).join('; '),
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    ]),
  )
}

/** The schema without our own notes; requests are closed, so that generators know unknown fields are refused. */
function clean(schema: unknown, request: boolean): unknown {
  if (Array.isArray(schema)) return schema.map((entry) => clean(entry, request))
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema).filter(([key]) => key !== 'x-digits')
  const result = Object.fromEntries(entries.map(([key, value]) => [key, clean(value, request)]))
  if (request && result.type === 'object' && result.properties) result.additionalProperties = false
  return result
}
