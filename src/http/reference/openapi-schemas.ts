import type { TSchema } from 'typebox'

export type Json = Record<string, unknown>

type Component = { schema: Json; text: string; descriptions: Map<string, number>; requests: boolean; answers: boolean }

/** Collects the schemas that have a name; whoever uses one gets a reference to it. */
export function createSchemas() {
  const components = new Map<string, Component>()
  const enums = new Map<string, string>()

  /** First of all, so that what is said most often about a schema is known before the first reference is written. */
  function learn(schema: TSchema, request: boolean): void {
    if ('x-like' in schema) return
    const { 'x-name': name, 'x-digits': _d, 'x-number': _n, 'x-versioned': _v, description, ...rest } = schema as Json
    if (typeof name === 'string' && !note(name, rest, String(description ?? ''), request)) return
    for (const part of partsOf(rest)) learn(part, request)
  }

  /** Whether there may be more to learn inside of it. */
  function note(name: string, schema: Json, description: string, request: boolean): boolean {
    const text = JSON.stringify(schema)
    const known = components.get(name)
    const component = known ?? { schema, text, descriptions: new Map(), requests: false, answers: false }
    if (component.text !== text) throw new Error(`Two schemas have the name ${name}: ${component.text} and ${text}`)
    component.descriptions.set(description, (component.descriptions.get(description) ?? 0) + 1)
    const news = !component[request ? 'requests' : 'answers']
    component[request ? 'requests' : 'answers'] = true
    components.set(name, component)
    if (Array.isArray(schema.enum)) enums.set(JSON.stringify(schema.enum), name)
    return news
  }

  function descriptionOf({ descriptions }: Component): string {
    return [...descriptions].reduce((most, each) => (each[1] > most[1] ? each : most))[0]
  }

  /** As it stands in the document. Requests are closed, so that generators know that unknown fields are refused. */
  function write(schema: unknown, closed: boolean): unknown {
    if (Array.isArray(schema)) return schema.map((entry) => write(entry, closed))
    if (typeof schema !== 'object' || schema === null) return schema
    const like = (schema as Json)['x-like']
    if (typeof like === 'string') return referenceTo(like, String((schema as Json).description))
    const { 'x-name': given, 'x-digits': _d, 'x-number': _n, 'x-versioned': _v, ...rest } = schema as Json
    // A list of words that has a name elsewhere is that one.
    const name = given ?? (Array.isArray(rest.enum) ? enums.get(JSON.stringify(rest.enum)) : undefined)
    if (typeof name === 'string') return referenceTo(name, String(rest.description ?? ''))
    return written(rest, closed)
  }

  function referenceTo(name: string, description: string): Json {
    const $ref = `#/components/schemas/${name}`
    return description === descriptionOf(components.get(name)!) ? { $ref } : { $ref, description }
  }

  function written({ patternProperties, properties, pattern, ...rest }: Json, closed: boolean): Json {
    const result: Json = { ...rest }
    // Few readers know classes of Unicode characters in patterns; those that do not would refuse what is right.
    if (pattern !== undefined && !String(pattern).includes('\\p{')) result.pattern = pattern
    for (const key of ['items', 'anyOf']) if (rest[key] !== undefined) result[key] = write(rest[key], closed)
    if (properties) result.properties = mapValues(properties as Json, (value) => write(value, closed))
    if (properties && closed && rest.additionalProperties !== true) result.additionalProperties = false
    if (patternProperties) {
      // Generators know maps by this keyword; which keys are taken is in the description.
      const [value] = Object.values(patternProperties as Json)
      result.additionalProperties = write(value, closed)
    }
    return result
  }

  return {
    learn,
    /** A schema of a request or of an answer, as the document has it. */
    of: (schema: TSchema, request: boolean) => write(schema, request),
    /** By name, in alphabetical order. */
    components(): Json {
      const entries = [...components].map(([name, component]) => {
        const closed = component.requests && !component.answers
        const description = descriptionOf(component)
        return [name, { ...written(component.schema, closed), ...(description ? { description } : {}) }] as const
      })
      return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
    },
  }
}

/** The schemas that a schema is made of. */
function partsOf({ items, anyOf, properties, patternProperties }: Json): TSchema[] {
  const several = [anyOf, properties, patternProperties].flatMap((each) => Object.values(each ?? {}))
  return items ? [items, ...several] : several
}

function mapValues(object: Json, change: (value: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]))
}
