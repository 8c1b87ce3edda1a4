import type { Endpoint } from '../../kernel/contract/endpoint.ts'
import type { Example, Examples } from './examples.ts'
import { createAnswers } from './openapi-answers.ts'
import { errorResponses, problemParts, problemSchema, sharedResponses } from './openapi-errors.ts'
import { responseHeaders } from './openapi-headers.ts'
import { createParameters } from './openapi-parameters.ts'
import { createSchemas, type Json } from './openapi-schemas.ts'
import { tagDescriptions } from './tags.ts'

const description = `Gatehouse is a self-hosted code and supply-chain security platform.

Every operation has a stability label: *experimental* operations may change or be removed without notice, *beta* ones may
still change before general availability, *stable* ones do not. Errors are \`application/problem+json\` (RFC 9457).`

/** OpenAPI 3.1 from the contracts and the examples that tests recorded, and from nothing else. */
export function openApiOf(contracts: readonly Endpoint[], version: string, examples: Examples): Json {
  const schemas = createSchemas()
  for (const { params, query, body, response } of contracts) {
    for (const request of [params, query, body]) if (request) schemas.learn(request, true)
    schemas.learn(response, false)
  }
  const parameters = createParameters(contracts, schemas, examples)
  const answers = createAnswers(contracts, schemas, examples)
  const paths: Record<string, Json> = {}
  for (const contract of contracts) {
    const path = contract.path.replace(/:([A-Za-z]+)/g, '{$1}')
    const operation = operationOf(contract, examples[contract.id], schemas, parameters, answers)
    paths[path] = { ...paths[path], [contract.method.toLowerCase()]: operation }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Gatehouse',
      version,
      description,
      contact: { name: 'The operator of this server' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The Gatehouse that serves this document' }],
    tags: [...new Set(contracts.map((contract) => contract.tag))].map(tagOf),
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    security: credentials.both,
    components: {
      securitySchemes,
      schemas: { ...schemas.components(), Problem: problemSchema, ...problemParts },
      parameters: parameters.shared,
      headers: responseHeaders,
      responses: { ...answers.shared, ...sharedResponses(contracts) },
    },
  }
}

function tagOf(name: string): Json {
  return { name, description: tagDescriptions[name] ?? name }
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

function operationOf(
  contract: Endpoint,
  example: Example | undefined,
  schemas: ReturnType<typeof createSchemas>,
  parameters: ReturnType<typeof createParameters>,
  answers: ReturnType<typeof createAnswers>,
): Json {
  return {
    operationId: contract.id,
    summary: contract.summary,
    description: contract.description,
    tags: [contract.tag],
    'x-stability': contract.stability,
    ...(contract.deprecated ? { deprecated: true } : {}),
    'x-permission': contract.permission,
    ...(contract.faults.length > 0 ? { 'x-errors': contract.faults } : {}),
    ...(contract.reauthentication ? { 'x-reauthentication': true } : {}),
    ...securityOf(contract),
    ...parameters.of(contract),
    ...requestOf(contract, example, schemas),
    responses: { 200: answers.of(contract), ...errorResponses(contract) },
  }
}

/** What is sent. Where that is only an address, its parameters have the example. */
function requestOf(contract: Endpoint, example: Example | undefined, schemas: ReturnType<typeof createSchemas>): Json {
  const { body, upload } = contract
  const shown = example?.request === undefined ? {} : { example: example.request }
  if (upload?.form === 'document') {
    return {
      requestBody: {
        required: true,
        content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' }, ...shown } },
      },
    }
  }
  if (!body) return {}
  const schema = schemas.of(body, true)
  if (!upload) return { requestBody: { required: true, content: { 'application/json': { schema, ...shown } } } }
  if (upload.form !== 'multipart') {
    const types = [
      ...(upload.form === 'fields' ? ['multipart/form-data'] : []),
      ...(upload.form === 'envelope' || upload.orJson ? ['application/json'] : []),
    ]
    return {
      requestBody: { required: true, content: Object.fromEntries(types.map((type) => [type, { schema, ...shown }])) },
    }
  }
  const form = {
    type: 'object',
    required: [upload.bodyPart],
    properties: { [upload.bodyPart]: schema },
    additionalProperties: { type: 'string', contentMediaType: 'application/octet-stream', description: 'A file' },
  }
  const encoding = { [upload.bodyPart]: { contentType: 'application/json' } }
  return { requestBody: { required: true, content: { 'multipart/form-data': { schema: form, encoding, ...shown } } } }
}

const token = { ServiceWebToken: [] }
const jwt = { ServiceJWT: [] }
const credentials = { none: [], token: [token], jwt: [jwt], both: [token, jwt] }

/** Nearly all operations take both, so the document says that once. */
function securityOf({ security }: Endpoint): Json {
  return security === 'both' ? {} : { security: credentials[security] }
}
