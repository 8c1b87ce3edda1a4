import assert from 'node:assert/strict'
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { contracts } from '../src/compose/contracts.ts'
import { recordedExamples } from '../src/http/reference/examples.ts'
import { openApiOf } from '../src/http/reference/openapi.ts'
import { tagDescriptions } from '../src/http/reference/tags.ts'
import type { Endpoint } from '../src/kernel/contract/endpoint.ts'
import { NamedObject } from '../src/kernel/contract/schema.ts'
import { problemsOf } from './example.ts'
import { facts } from './interface-facts.ts'

const root = join(import.meta.dirname, '..')
// biome-ignore lint/suspicious/noExplicitAny: the document has every shape
const document = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8')) as any
type Operation = Record<string, unknown> & { operationId: string }
const operations = Object.values(document.paths).flatMap((path) => Object.values(path as object)) as Operation[]

test('the document stays small: 2.4 KiB an operation with all that it refers to', () => {
  const size = statSync(join(root, 'openapi.json')).size
  assert.ok(size < operations.length * 2.4 * 1024, `${size} bytes for ${operations.length} operations`)
})

test('every operation has an example that fits its contract (npm run examples)', () => {
  for (const contract of contracts) {
    const example = recordedExamples[contract.id]
    assert.ok(example, `${contract.id} has none`)
    assert.deepEqual(problemsOf(contract, example), [], contract.id)
    // It goes into a shell between double quotes.
    assert.match(example.url, /^[\w\-./?=&%:+,~@]+$/, contract.id)
  }
  const known = new Set(contracts.map(({ id }) => id))
  for (const id of Object.keys(recordedExamples)) assert.ok(known.has(id), `${id} is not an operation any more`)
})

test('an example that does not fit is noticed, wherever that is', () => {
  const update = contracts.find(({ id }) => id === 'updateTeam')!
  const example = recordedExamples.updateTeam!
  const response = example.response as { team: object }
  for (const wrong of [
    { ...example, request: { team: { nmae: 'x' } } },
    { ...example, request: undefined },
    { ...example, response: { team: { ...response.team, id: null } } },
    { ...example, url: example.url.replace(/\d+$/, 'x') },
    { ...example, url: `${example.url}?page=1` },
  ])
    assert.notDeepEqual(problemsOf(update, wrong), [], JSON.stringify(wrong))
})

test('examples show no secret', () => {
  const shown = readFileSync(join(root, 'src/http/reference/examples.json'), 'utf8')
  const allowed = new Set(['gth_EXAMPLE', 'eyJhbGciOiJFZERTQSJ9.e30.c2lnbmF0dXJl'])
  const found = shown.match(/gth_[\w-]+|eyJ[\w-]+\.[\w-]*\.[\w-]*|whsec_[\w+/=-]{8,}|-----BEGIN [A-Z ]*PRIVATE/g) ?? []
  assert.deepEqual(
    found.filter((each) => !allowed.has(each)),
    [],
  )
  assert.ok(!/127\.0\.0\.1:\d|localhost:\d|\/tmp\//.test(shown))
})

test('every operation says what it does, shows a request and an answer, and names its headers', () => {
  for (const operation of operations) {
    const { operationId: id } = operation
    assert.ok(String(operation.description).length > 10, id)
    const request = operation.requestBody as { content: Record<string, { example?: unknown }> } | undefined
    if (request)
      assert.ok(
        Object.values(request.content).every((each) => 'example' in each),
        `${id}: no request`,
      )
    const parameters = ((operation.parameters ?? []) as { $ref?: string }[]).map((each) => resolved(each))
    for (const { name, required, example } of parameters)
      if (required) assert.notEqual(example, undefined, `${id}: no example of ${name}`)
    const answer = resolved((operation.responses as Record<string, never>)[200]!)
    const content = Object.values(answer.content as Record<string, { example?: unknown }>)
    assert.ok(
      content.some((each) => 'example' in each),
      `${id} has no example of an answer`,
    )
    assert.ok('RateLimit' in answer.headers, id)
  }
  for (const { name } of document.tags) assert.ok(name in tagDescriptions, name)
})

test('headers are declared where they occur', () => {
  const byId = new Map(operations.map((operation) => [operation.operationId, operation]))
  const headersOf = (id: string) =>
    Object.keys(resolved((byId.get(id)!.responses as Record<string, never>)[200]!).headers).sort()
  const parametersOf = (id: string) =>
    ((byId.get(id)!.parameters ?? []) as { $ref?: string }[]).map((each) => resolved(each as never).name)
  assert.deepEqual(headersOf('getTeam'), ['ETag', 'RateLimit'])
  assert.deepEqual(headersOf('listTeams'), ['RateLimit'])
  assert.deepEqual(headersOf('listPoliciesDeprecated'), ['Deprecation', 'Link', 'RateLimit', 'Sunset'])
  assert.deepEqual(headersOf('exportFindings'), ['Content-Disposition', 'RateLimit'])
  assert.ok(parametersOf('updateTeam').includes('If-Match'))
  assert.ok(parametersOf('updateTeam').includes('Idempotency-Key'))
  assert.ok(!parametersOf('getTeam').includes('Idempotency-Key'))
  const { pattern } = document.components.parameters.IdempotencyKey.schema
  // As the server reads it.
  for (const [key, taken] of [
    ['a7~!', true],
    ['two words', false],
    ['schl\u00fcssel', false],
  ] as const)
    assert.equal(new RegExp(pattern, 'u').test(key), taken, key)
  for (const name of ['TooManyRequests', 'Error'])
    assert.ok('Retry-After' in document.components.responses[name].headers, name)
  const exported = resolved((byId.get('exportFindings')!.responses as Record<string, never>)[200]!)
  assert.deepEqual(Object.keys(exported.content), ['application/json', 'text/csv', 'application/sarif+json'])
})

test('every schema that has a name in the code has one in the document', () => {
  const nameless = /^(?:export )?const ([A-Z]\w*) = (?:Type\.(?!Optional)|OneOf\(|OrNull\()/gm
  const found = globSync('src/**/*.ts', { cwd: root, exclude: (name) => name.endsWith('.test.ts') }).flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(nameless)].map(([, name]) => `${file}: ${name}`),
  )
  // What stands in paths and queries is written parameter by parameter.
  assert.deepEqual(
    found.filter((each) => !/(Params|Query|: Nothing)$/.test(each)),
    [],
  )
  for (const name of ['Finding', 'Severity', 'Team', 'Problem', 'TriageState', 'Timestamp'])
    assert.ok(name in document.components.schemas, name)
})

test('two schemas cannot have one name', () => {
  const [contract] = contracts as [Endpoint]
  const twice = { ...contract, id: 'twice', response: NamedObject('Team', {}) as unknown as Endpoint['response'] }
  assert.throws(() => openApiOf([...contracts, twice], '1', {}), /Two schemas have the name Team/)
})

test('paging has one shape, but for the operations that the interface gives', () => {
  const given = new Set(Object.values(facts).map(({ method, path }) => `${method} ${path}`))
  const words = ['pageSize', 'cursor', 'hasMore']
  for (const { id, method, path, query, body, response, protocol } of contracts) {
    // Clients of other products page as their own servers have it.
    if (protocol) continue
    if (given.has(`${method} ${path.replace(/:([A-Za-z]+)/g, '{$1}')}`)) continue
    const asked = { ...query?.properties, ...fieldsOf(body) } as Record<string, { type?: string }>
    const answered = fieldsOf(response) as Record<string, { type?: string }>
    const seen = words.filter((word) => word in asked || word in answered)
    if (seen.length === 0) continue
    assert.deepEqual(seen, words, id)
    const types = [asked.pageSize?.type, asked.cursor?.type, answered.hasMore?.type, answered.cursor?.type]
    assert.deepEqual(types, ['integer', 'string', 'boolean', 'string'], id)
  }
})

test('what an answer calls the id of a resource, the path takes as it is', () => {
  let looked = 0
  for (const { id, path, params, response } of contracts) {
    const name = /:([A-Za-z]+)$/.exec(path)?.[1]
    const [only, ...others] = Object.values(fieldsOf(response)) as { properties?: Record<string, { type: string }> }[]
    const answered = others.length === 0 ? only?.properties?.id?.type : undefined
    if (!name || !answered) continue
    const taken = params.properties[name] as { type?: string; anyOf?: { type: string }[] }
    const types = taken.anyOf ? taken.anyOf.map(({ type }) => type) : [taken.type]
    assert.ok(types.includes(answered), `${id}: ${name} is ${types} in the path and ${answered} in the answer`)
    looked++
  }
  assert.ok(looked > 25)
})

function fieldsOf(schema: unknown): object {
  return (schema as { properties?: object } | undefined)?.properties ?? {}
}

// biome-ignore lint/suspicious/noExplicitAny: the document has every shape
function resolved(node: { $ref?: string }): any {
  if (!node.$ref) return node
  return node.$ref
    .split('/')
    .slice(1)
    .reduce((at, step) => at[step], document)
}
