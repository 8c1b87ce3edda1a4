import Type, { type Static } from 'typebox'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import { Cursor, pageFields } from '../../kernel/contract/pagination.ts'
import { Count, DeploymentParams, NamedObject, named } from '../../kernel/contract/schema.ts'
import { TimeBucketSizeFilter, TimePeriod, TimePeriodFilter } from '../../kernel/time/time-buckets.ts'

const path = '/api/reporting/:deploymentId/reports/malware-firewall'
const common = {
  tag: 'Malware firewall reports',
  stability: 'beta',
  security: 'both',
  permission: 'reports:read',
  method: 'POST',
  params: DeploymentParams,
} as const

const Filters = NamedObject(
  'FirewallReportFilters',
  { timePeriod: Type.Optional(TimePeriodFilter), timeBucketSize: Type.Optional(TimeBucketSizeFilter) },
  {
    description:
      'What to count; everything may be left out. Where there are no buckets, timeBucketSize changes nothing',
  },
)
const Paged = NamedObject('BlockedRequest', {
  filters: Type.Optional(Filters),
  cursor: Type.Optional(
    Type.String({ maxLength: 4000, description: 'The cursor of the page before; empty or absent starts' }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, description: 'Most rows a page, 1 to 1000; 100 by default' }),
  ),
})
export type Paged = Static<typeof Paged>

const AdvisoryPage = NamedObject('BlockedByAdvisoryRequest', {
  filters: Type.Optional(Filters),
  pageSize: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, description: 'Most rows a page, 1 to 1,000; 100 by default' }),
  ),
  cursor: Type.Optional(Cursor),
})
export type AdvisoryPage = Static<typeof AdvisoryPage>

const nextCursor = Type.String({ description: 'Where the next page starts; empty on the last one' })
const Ecosystem = named('EcosystemName', Type.String({ description: 'For example npm' }))
const TotalBlocked = named(
  'TotalBlocked',
  Type.Integer({ minimum: 0, description: 'How often it was refused because it is malicious' }),
)

const BlockedDependency = NamedObject('BlockedDependency', {
  dependency: Type.String({ description: 'Name of the package, normalised by the rules of its ecosystem' }),
  version: Type.String({ description: 'The version that was asked for' }),
  ecosystem: Ecosystem,
  totalBlocked: TotalBlocked,
})

export const getBlockedMaliciousDependencies = endpoint({
  ...common,
  id: 'getBlockedMaliciousDependencies',
  summary: 'Blocked malicious dependencies, by dependency, version and ecosystem',
  description:
    'What was refused because an advisory or an override says that it is malicious, ordered by how often, then by dependency, version and ecosystem. Exact to the millisecond for as long as single requests are kept (1,100 days by default); before that, days at the ends of the period count whole.',
  path: `${path}/blocked-mal-deps/by-dep-version-and-ecosystem`,
  body: Paged,
  response: Type.Object({
    rows: Type.Array(BlockedDependency, { description: 'Most often blocked first' }),
    cursor: nextCursor,
  }),
  faults: [],
})
export type BlockedDependencies = Static<typeof getBlockedMaliciousDependencies.response>

export const getBlockedByAdvisory = endpoint({
  ...common,
  id: 'getBlockedByAdvisory',
  summary: 'Blocked malicious dependencies, by advisory',
  description: 'How often each advisory or override stopped an artifact in the period, the most frequent first.',
  path: `${path}/blocked-mal-deps/by-advisory`,
  body: AdvisoryPage,
  response: Type.Object({
    rows: Type.Array(
      Type.Object({
        advisoryId: Type.String({ description: 'The advisory, or `override-` and the number of an override' }),
        dependencies: Type.Integer({ minimum: 0, description: 'How many versions of packages it stopped' }),
        totalBlocked: TotalBlocked,
      }),
      { description: 'Most often blocked first' },
    ),
    ...pageFields,
  }),
  faults: [],
})
export type BlockedByAdvisory = Static<typeof getBlockedByAdvisory.response>

const scans = {
  blockingScans: Type.Integer({ minimum: 0, description: 'Verdicts on an artifact after which it was refused' }),
  nonBlockingScans: Type.Integer({ minimum: 0, description: 'Verdicts on an artifact after which it was let through' }),
}

const BucketedFilters = NamedObject('ScanActivityRequest', { filters: Type.Optional(Filters) })
export type ScanActivityQuery = Static<typeof BucketedFilters>

export const getScanActivity = endpoint({
  ...common,
  id: 'getScanActivity',
  summary: 'Malware-firewall scan activity',
  description:
    'One scan is one verdict on one artifact that a client asked for; it blocks if the client was refused, for whatever reason. Buckets follow each other without gaps, zeros included; the first and the last are cut to the period. What was let through is counted within a second of it. Where single requests are no longer kept (after 1,100 days by default) the period begins and ends with whole days, in UTC.',
  path: `${path}/scan-activity`,
  body: BucketedFilters,
  response: Type.Object({
    buckets: Type.Array(Type.Object({ timePeriod: TimePeriod, ...scans }), { description: 'In the order of time' }),
  }),
  faults: [],
})
export type ScanActivity = Static<typeof getScanActivity.response>

export const getActivityByEcosystem = endpoint({
  ...common,
  id: 'getActivityByEcosystem',
  summary: 'Malware-firewall scan activity, by ecosystem',
  description: 'Verdicts on artifacts in the period, refused and let through, for each ecosystem.',
  path: `${path}/scan-activity/by-ecosystem`,
  body: Type.Object({ filters: Type.Optional(Filters) }),
  response: Type.Object({
    rows: Type.Array(Type.Object({ ecosystem: Ecosystem, ...scans }), { description: 'Ordered by ecosystem' }),
  }),
  faults: [],
})
export type ActivityByEcosystem = Static<typeof getActivityByEcosystem.response>

const Figures = NamedObject('FirewallFigures', {
  timePeriod: TimePeriod,
  ...scans,
  totalBlocked: TotalBlocked,
  blockedDependencies: Count,
})

export const getFirewallSummary = endpoint({
  ...common,
  id: 'getFirewallSummary',
  summary: 'The malware firewall in a few figures, with the period before',
  description: 'The figures of the period, beside those of the period of the same length right before it.',
  path: `${path}/summary`,
  body: Type.Object({ filters: Type.Optional(Filters) }),
  response: Type.Object({ current: Figures, previous: Figures }),
  faults: [],
})
export type FirewallSummary = Static<typeof getFirewallSummary.response>
