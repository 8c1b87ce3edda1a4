import type { TObject, TSchema } from 'typebox'
import type { Endpoint } from '../../kernel/contract/endpoint.ts'
import type { Examples } from './examples.ts'
import { headerParameters, headerParametersOf } from './openapi-headers.ts'
import type { createSchemas, Json } from './openapi-schemas.ts'

/** Parameters that several operations take are written once and referred to. */
export function createParameters(
  contracts: readonly Endpoint[],
  schemas: ReturnType<typeof createSchemas>,
  examples: Examples,
) {
  const uses = new Map<string, { parameter: Json; tag: string; count: number }>()
  for (const contract of contracts) {
    for (const parameter of own(contract)) {
      const text = JSON.stringify(parameter)
      const use = uses.get(text) ?? { parameter: { ...parameter }, tag: contract.tag, count: 0 }
      use.count++
      use.parameter.example ??= sentIn(contract, parameter, examples[contract.id]?.url)
      uses.set(text, use)
    }
  }
  const names = new Map<string, string>()
  const shared: Json = {}
  const often = [...uses].filter(([, { count }]) => count > 1).sort(([, a], [, b]) => b.count - a.count)
  for (const [text, { parameter, tag }] of often) {
    const plain = pascal(String(parameter.name))
    const name = plain in shared ? `${pascal(tag)}${plain}` : plain
    if (name in shared) continue
    shared[name] = parameter
    names.set(text, name)
  }

  function own(contract: Endpoint): Json[] {
    const inQuery = contract.query ? parametersOf(contract.query, 'query') : []
    return [...parametersOf(contract.params, 'path'), ...inQuery]
  }

  function parametersOf(schema: TObject, place: 'path' | 'query'): Json[] {
    const { properties = {}, required = [] } = schema as { properties?: Record<string, TSchema>; required?: string[] }
    return Object.entries(properties).map(([name, property]) => {
      const { description, ...rest } = property as Json
      return { name, in: place, required: required.includes(name), description, schema: schemaOf(rest) }
    })
  }

  /** What a parameter means stands beside its schema, not in it. */
  function schemaOf(schema: Json): unknown {
    const { description, ...written } = schemas.of(schema as TSchema, true) as Json
    return '$ref' in written || description === undefined ? written : { ...written, description }
  }

  return {
    shared: { ...Object.fromEntries(Object.entries(shared).sort(([a], [b]) => (a < b ? -1 : 1))), ...headerParameters },
    of(contract: Endpoint): Json {
      const parameters = own(contract).map((parameter) => {
        const text = JSON.stringify(parameter)
        const name = names.get(text)
        return name ? reference(name) : uses.get(text)!.parameter
      })
      parameters.push(...headerParametersOf(contract).map(reference))
      return parameters.length > 0 ? { parameters } : {}
    },
  }
}

/** The value of a parameter in the address of an example, as its schema has it. */
function sentIn(contract: Endpoint, { name, in: place }: Json, url: string | undefined): unknown {
  if (url === undefined) return undefined
  const { pathname, searchParams } = new URL(url, 'http://localhost')
  const at = contract.path.split('/').indexOf(`:${name}`)
  const text = place === 'path' ? decodeURIComponent(pathname.split('/')[at]!) : searchParams.get(String(name))
  const schema = (place === 'path' ? contract.params : contract.query!).properties[String(name)] as Json
  if (text === null) return undefined
  return schema.type === 'integer' || schema.anyOf ? Number(text) : text
}

const reference = (name: string): Json => ({ $ref: `#/components/parameters/${name}` })

function pascal(text: string): string {
  return text.replace(/(^|[^A-Za-z]+)([A-Za-z])/g, (_, _between, letter: string) => letter.toUpperCase())
}
