import type { Endpoint } from '../../kernel/contract/endpoint.ts'
import type { Example, Examples } from './examples.ts'
import { responseHeadersOf } from './openapi-headers.ts'
import type { createSchemas, Json } from './openapi-schemas.ts'

/** What operations answer when all is well. An answer that several of them give is written once and referred to. */
export function createAnswers(
  contracts: readonly Endpoint[],
  schemas: ReturnType<typeof createSchemas>,
  examples: Examples,
) {
  const sharing = Map.groupBy(contracts.filter(nameOf), (contract) => nameOf(contract))
  const names = new Map<Endpoint, string>()
  const shared: Json = {}
  for (const same of sharing.values()) {
    const [first] = same
    const name = nameOf(first!)!
    if (same.length < 2 || name in shared) continue
    const example = same.map((each) => examples[each.id]).find(Boolean)
    shared[name] = answerOf(first!, example)
    for (const contract of same) names.set(contract, name)
  }

  function answerOf(contract: Endpoint, example: Example | undefined): Json {
    return { description: 'Done', headers: responseHeadersOf(contract), content: contentOf(contract, example) }
  }

  function contentOf({ response, download }: Endpoint, example: Example | undefined): Json {
    const shown = example ? { example: example.response } : {}
    if (!download) return { 'application/json': { schema: schemas.of(response, false), ...shown } }
    return Object.fromEntries(
      download.mediaTypes.map((type) => {
        const lines = type === 'application/x-ndjson'
        const schema = lines
          ? { type: 'string', description: 'One JSON object a line' }
          : { type: /json$/.test(type) ? 'object' : 'string', description: 'The document' }
        return [type, { schema, ...(example?.mediaType === type ? shown : {}) }]
      }),
    )
  }

  return {
    shared,
    of(contract: Endpoint): Json {
      const name = names.get(contract)
      return name ? { $ref: `#/components/responses/${name}` } : answerOf(contract, examples[contract.id])
    },
  }
}

function nameOf({ response, download, deprecated }: Endpoint): string | undefined {
  return download || deprecated ? undefined : (response as { 'x-name'?: string })['x-name']
}
