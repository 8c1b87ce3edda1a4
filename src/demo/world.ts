import type { Stack } from './catalogue.ts'

export type DemoRepository = { name: string; stack: Stack; tags: string[]; publiclyExposed: boolean; team: string }

const areas: { team: string; names: [string, Stack][] }[] = [
  {
    team: 'Storefront',
    names: [
      ['web-shop', 'npm'],
      ['checkout', 'npm'],
      ['search-page', 'npm'],
      ['product-images', 'gomod'],
      ['recommendations', 'pypi'],
      ['loyalty', 'npm'],
      ['newsletter', 'npm'],
      ['storefront-components', 'npm'],
      ['shop-graphql', 'npm'],
      ['shop-end-to-end', 'npm'],
    ],
  },
  {
    team: 'Payments',
    names: [
      ['payment-gateway', 'maven'],
      ['ledger', 'maven'],
      ['fraud-scoring', 'pypi'],
      ['invoices', 'maven'],
      ['refunds', 'gomod'],
      ['payment-webhooks', 'npm'],
      ['tax-rules', 'maven'],
      ['card-vault', 'gomod'],
      ['settlement', 'maven'],
      ['payment-console', 'npm'],
    ],
  },
  {
    team: 'Logistics',
    names: [
      ['warehouse', 'maven'],
      ['routing', 'pypi'],
      ['tracking', 'gomod'],
      ['labels', 'npm'],
      ['returns', 'npm'],
      ['carrier-adapters', 'gomod'],
      ['stock-forecast', 'pypi'],
      ['picking-app', 'npm'],
      ['customs', 'maven'],
      ['depot-sensors', 'gomod'],
    ],
  },
  {
    team: 'Platform',
    names: [
      ['api-gateway', 'gomod'],
      ['identity', 'maven'],
      ['notifications', 'npm'],
      ['feature-flags', 'gomod'],
      ['data-lake', 'pypi'],
      ['build-tools', 'npm'],
      ['observability', 'gomod'],
      ['infrastructure', 'pypi'],
      ['developer-portal', 'npm'],
      ['batch-jobs', 'pypi'],
    ],
  },
]

/** What a customer of the shop can reach. */
const exposed = new Set([
  'web-shop',
  'checkout',
  'search-page',
  'shop-graphql',
  'payment-gateway',
  'payment-webhooks',
  'tracking',
  'returns',
  'api-gateway',
  'identity',
  'developer-portal',
])

export const teams: string[] = areas.map(({ team }) => team)

export const repositories: DemoRepository[] = areas.flatMap(({ team, names }) =>
  names.map(([name, stack]) => ({
    name: `meadow/${name}`,
    stack,
    tags: [team.toLowerCase(), ...(exposed.has(name) ? ['internet'] : ['internal'])],
    publiclyExposed: exposed.has(name),
    team,
  })),
)
