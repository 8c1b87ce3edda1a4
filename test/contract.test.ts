import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { facts } from './interface-facts.ts'
import type { Fact, Shape } from './interface-shapes.ts'

type Schema = {
  $ref?: string
  type?: string
  format?: string
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  items?: Schema
  additionalProperties?: object | false
}
type Operation = {
  'x-stability': string
  deprecated?: boolean
  security?: object[]
  parameters?: { $ref?: string; name: string; in: string; schema: Schema }[]
  requestBody?: { content: { 'application/json': { schema: Schema } } }
  responses: { 200: { $ref?: string; content: { 'application/json': { schema: Schema } } } }
}

const document = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'openapi.json'), 'utf8')) as {
  security: object[]
  paths: Record<string, Record<string, Operation>>
}

/** What a reference leads to; anything else is itself. */
function resolved<T extends { $ref?: string }>(node: T): T {
  if (!node.$ref) return node
  const steps = node.$ref.slice(2).split('/')
  // biome-ignore lint/suspicious/noExplicitAny: the document has every shape
  return steps.reduce((at: any, step) => at[step], document)
}

for (const [id, fact] of Object.entries(facts)) {
  const operation = document.paths[fact.path]?.[fact.method.toLowerCase()]
  test(`${id} ${fact.method} ${fact.path} is what the interface says, field by field`, () => {
    assert.ok(operation, 'it is not in openapi.json')
    assert.equal(operation['x-stability'], fact.stability)
    assert.equal(operation.deprecated ?? false, fact.deprecated ?? false)
    assert.deepEqual((operation.security ?? document.security).flatMap(Object.keys).sort(), schemes[fact.security])
    assert.deepEqual(queryOf(operation), fact.query ?? {})
    assert.deepEqual(requestOf(operation), merge(fact.request ?? {}, fact.decided ?? {}))
    assert.deepEqual(shapeOf(resolved(operation.responses[200]).content['application/json'].schema), fact.response)
    assert.deepEqual(
      Object.keys(operation.responses).filter((status) => status.startsWith('2')),
      ['200'],
    )
  })
}

test('what is still to come are operations of the interface', () => {
  assert.equal(Object.keys(facts).length, 19)
})

const schemes: Record<Fact['security'], string[]> = {
  both: ['ServiceJWT', 'ServiceWebToken'],
  token: ['ServiceWebToken'],
  jwt: ['ServiceJWT'],
}

function queryOf(operation: Operation): Shape {
  const parameters = (operation.parameters ?? []).map(resolved).filter((parameter) => parameter.in === 'query')
  return Object.fromEntries(parameters.map((parameter) => [parameter.name, shapeOf(parameter.schema)]))
}

function requestOf(operation: Operation): Shape {
  return operation.requestBody ? shapeOf(operation.requestBody.content['application/json'].schema) : {}
}

/** Our decision that a timestamp or object without a value is null does not change what the field is. */
function shapeOf(given: Schema): Shape {
  const schema = resolved(given)
  if (schema.anyOf) {
    const others = schema.anyOf.filter((entry) => entry.type !== 'null').map(shapeOf)
    const [only] = others
    if (others.length !== 1 || only === undefined) return 'mixed'
    return only === 'string' && schema.anyOf.length > others.length ? 'string|null' : only
  }
  if (schema.type === 'array') return [shapeOf(schema.items ?? {})]
  if (schema.type === 'object') {
    if (schema.additionalProperties && !schema.properties) return 'object'
    return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, each]) => [name, shapeOf(each)]))
  }
  return schema.format === 'date-time' ? 'timestamp' : (schema.type ?? 'any')
}

function merge(a: Shape, b: Shape): Shape {
  if (Array.isArray(a) && Array.isArray(b)) return [merge(a[0], b[0])]
  if (typeof a === 'string' || typeof b === 'string' || Array.isArray(a) || Array.isArray(b)) return b
  const result: Record<string, Shape> = { ...a }
  for (const [key, value] of Object.entries(b)) result[key] = key in a ? merge(a[key]!, value) : value
  return result
}
