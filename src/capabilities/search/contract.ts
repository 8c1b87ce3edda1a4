import Type, { type Static } from 'typebox'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import { DeploymentParams, NamedObject, named, OneOf } from '../../kernel/contract/schema.ts'

/** In the order in which they are shown. */
export const searchKinds = ['repositories', 'packages', 'vulnerabilities', 'findings', 'rules', 'people'] as const
export type SearchKind = (typeof searchKinds)[number]
const Kind = named('SearchKind', OneOf(searchKinds, 'What is found'))

const SearchHit = NamedObject('SearchHit', {
  id: IdOrName(),
  label: Type.String({ description: 'What it is called' }),
  detail: Type.String({ description: 'What distinguishes it from others of its name; empty if nothing does' }),
})
export type SearchHit = Static<typeof SearchHit>

function IdOrName() {
  return Type.String({ description: 'Its id; for a package its ecosystem and name, as npm/lodash' })
}

const SearchGroup = NamedObject('SearchGroup', {
  kind: Kind,
  hits: Type.Array(SearchHit, { maxItems: 5, description: 'The best five, those first that begin with the words' }),
})
export type SearchGroup = Static<typeof SearchGroup>

export const SearchQuery = Type.Object({
  q: Type.String({ minLength: 2, maxLength: 200, pattern: '\\S', description: 'What is looked for' }),
  withinMs: Type.Optional(
    Type.Integer({
      minimum: 10,
      maximum: 5_000,
      description: 'How many milliseconds to search; what is not found by then is left out. 50 by default',
    }),
  ),
})
export type SearchQuery = Static<typeof SearchQuery>

export const search = endpoint({
  id: 'search',
  summary: 'Search for anything by its name',
  description:
    'Repositories, people and rules that have the words in their name; packages and vulnerabilities whose name begins with them; findings by id or words. Five of each, of what the caller may read and sees. Kinds that took too long are named in `late`: ask again with a longer withinMs.',
  tag: 'Deployments',
  stability: 'experimental',
  security: 'both',
  permission: 'deployment:read',
  method: 'GET',
  path: '/api/search/v1/deployments/:deploymentId',
  params: DeploymentParams,
  query: SearchQuery,
  response: Type.Object({
    groups: Type.Array(SearchGroup, { description: 'Kinds of which something was found' }),
    late: Type.Array(Kind, { description: 'Kinds that were not looked through in time' }),
  }),
  faults: [],
})
