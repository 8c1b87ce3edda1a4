import type { Stack } from '../scans/packages.ts'
import type { DemoSize } from '../size.ts'

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
      ['payment-webhooks', 'npm'],
      ['fraud-scoring', 'pypi'],
      ['ledger', 'maven'],
      ['invoices', 'maven'],
      ['refunds', 'gomod'],
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
      ['labels', 'npm'],
      ['tracking', 'gomod'],
      ['routing', 'pypi'],
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
      ['notifications', 'npm'],
      ['data-lake', 'pypi'],
      ['identity', 'maven'],
      ['feature-flags', 'gomod'],
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

const repositories: DemoRepository[] = areas.flatMap(({ team, names }) =>
  names.map(([name, stack]) => ({
    name: `meadow/${name}`,
    stack,
    tags: [team.toLowerCase(), ...(exposed.has(name) ? ['internet'] : ['internal'])],
    publiclyExposed: exposed.has(name),
    team,
  })),
)

/** As many of each team. */
export function repositoriesOf(size: DemoSize): DemoRepository[] {
  const each = size.repositories / teams.length
  return teams.flatMap((team) => repositories.filter((one) => one.team === team).slice(0, each))
}
