/** An object stands for an object, a one-element array for an array, a name for a type. */
export type Shape = string | { [field: string]: Shape } | [Shape]

export type Fact = {
  method: string
  path: string
  stability: 'experimental' | 'beta'
  security: 'both' | 'token' | 'jwt'
  deprecated?: true
  query?: { [name: string]: Shape }
  request?: { [field: string]: Shape }
  /** Optional request fields that the interface leaves open and we decided on. */
  decided?: { [field: string]: Shape }
  response: { [field: string]: Shape }
}

export const timePeriod = { since: 'timestamp', until: 'timestamp' }
export const strings: Shape = ['string']
export const reportFilters = {
  timePeriod,
  projects: strings,
  tags: strings,
  teams: strings,
  ruleIds: strings,
  findingCategories: strings,
  projectIds: strings,
}
export const packageManagerConfig = {
  id: 'integer',
  name: 'string',
  url: 'string',
  requiresAuth: 'boolean',
  ecosystem: 'string',
  deploymentId: 'integer',
  useNetworkBroker: 'boolean',
  additionalConfig: { maven: { repositoryType: 'string' }, pypi: {}, npm: { scope: 'string|null' } },
  registryType: 'string',
}
export const login = { username: 'string', password: 'string' }
export const ruleboard = { name: 'string', slug: 'string', default: 'boolean', assigned_repos: strings }
