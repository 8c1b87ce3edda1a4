import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { clientFromNpm } from './clients/package-clients.ts'

type Schema = Record<string, unknown>
type Operation = {
  requestBody?: { content: Record<string, { schema: Schema }> }
  parameters?: (Schema & { $ref?: string })[]
  responses: Record<
    string,
    { $ref?: string; content?: Record<string, { schema: Schema; examples?: Record<string, Schema> }> }
  >
}
type GitHubExchange = {
  method: string
  template: string
  query: URLSearchParams
  sent: unknown
  status: number
  answer: unknown
}

/** GitHub's own description of its API; undefined where npm cannot get it. */
export async function gitHubOpenApi() {
  const flags = ['--ignore-scripts']
  const file = await clientFromNpm('@octokit/openapi', '23.0.2', 'generated/api.github.com.json', flags)
  const formats = await clientFromNpm('ajv-formats', '3.0.1', 'package.json', flags)
  if (!file || !formats) return undefined
  const document = withoutNullable(JSON.parse(readFileSync(file, 'utf8')))
  const load = createRequire(formats)
  const ajv = new (load('ajv').default)({ strict: false, allErrors: true, validateFormats: true, logger: false })
  load('ajv-formats').default(ajv)
  ajv.addSchema({ $id: 'https://github.test/api', components: document.components })

  function operationOf(method: string, template: string): Operation {
    const operation = document.paths[template]?.[method.toLowerCase()]
    assert.ok(operation, `GitHub has no ${method} ${template}`)
    return operation
  }

  function resolve<T extends { $ref?: string }>(part: T): T {
    if (!part.$ref) return part
    return part.$ref
      .slice(2)
      .split('/')
      .reduce((node, name) => node[name], document) as T
  }

  /** What GitHub gives as an example of the answer; of one that is a list, its first entry. */
  function example(method: string, template: string): Record<string, unknown> {
    const [, response] = Object.entries(operationOf(method, template).responses).find(([status]) => /^2/.test(status))!
    const [first] = Object.values(response.content?.['application/json']?.examples ?? {})
    const { value } = resolve(first ?? {}) as { value?: unknown }
    return structuredClone((Array.isArray(value) ? value[0] : value) ?? {})
  }

  const compiled = new Map<Schema, (value: unknown) => boolean>()

  function complaints(schema: Schema, value: unknown): string[] {
    const rooted = () => JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"https://github.test/api#/'))
    const check = compiled.get(schema) ?? ajv.compile(rooted())
    compiled.set(schema, check)
    return check(value)
      ? []
      : check.errors.map((each: { instancePath: string; message: string }) => `${each.instancePath} ${each.message}`)
  }

  /** What of an exchange is not as GitHub describes it. */
  function problemsOf({ method, template, query, sent, status, answer }: GitHubExchange): string[] {
    const operation = operationOf(method, template)
    const problems: string[] = []
    const schema = operation.requestBody?.content['application/json']?.schema
    if (sent !== undefined && !schema) problems.push('it takes no body')
    if (schema && sent !== undefined) {
      problems.push(...complaints(schema, sent).map((each) => `sent: ${each}`))
      const { properties } = schema as { properties?: object }
      for (const name of Object.keys(sent as object)) {
        if (properties && !Object.hasOwn(properties, name)) problems.push(`sent: it knows no ${name}`)
      }
    }
    const known = (operation.parameters ?? []).map((each) => resolve(each).name)
    for (const name of query.keys()) if (!known.includes(name)) problems.push(`query: it knows no ${name}`)
    const response = operation.responses[String(status)]
    const content = response && resolve(response).content?.['application/json']?.schema
    if (content) problems.push(...complaints(content, answer).map((each) => `answered: ${each}`))
    return problems.map((each) => `${method} ${template} ${status}: ${each}`)
  }

  return { example, problemsOf }
}

/** OpenAPI 3.0 says of a schema that null fits too; JSON Schema has no word for it. */
// biome-ignore lint/suspicious/noExplicitAny: a document of any shape
function withoutNullable(node: unknown): any {
  if (Array.isArray(node)) return node.map(withoutNullable)
  if (typeof node !== 'object' || node === null) return node
  const { nullable, ...rest } = Object.fromEntries(
    Object.entries(node).map(([name, each]) => [name, withoutNullable(each)]),
  )
  if (typeof nullable === 'boolean') return nullable ? { anyOf: [rest, { type: 'null' }] } : rest
  return nullable === undefined ? rest : { ...rest, nullable }
}
