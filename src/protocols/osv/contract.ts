import Type, { type Static } from 'typebox'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import { NamedObject, Timestamp } from '../../kernel/contract/schema.ts'
import { osvProtocol } from './osv-protocol.ts'

const common = {
  tag: 'OSV',
  stability: 'experimental',
  security: 'both',
  permission: 'dependencies:read',
  protocol: osvProtocol,
} as const

const text = (description: string) => Type.String({ description })
const bounded = (maxLength: number, description: string) => Type.Optional(Type.String({ maxLength, description }))
/** Clients send more than we have use for. */
const lenient = { additionalProperties: true }

const Event = NamedObject('OsvEvent', {
  introduced: Type.Optional(text('From this version on; 0 is before all versions')),
  fixed: Type.Optional(text('Up to, but not including, this version')),
  last_affected: Type.Optional(text('Up to and including this version')),
  limit: Type.Optional(text('Nothing from this version on')),
})
export type OsvEvent = Static<typeof Event>

export const Vulnerability = NamedObject(
  'OsvVulnerability',
  {
    schema_version: text('Of the OSV schema'),
    id: text('Its id in its database'),
    modified: Timestamp,
    published: Type.Optional(Timestamp),
    withdrawn: Type.Optional(Timestamp),
    aliases: Type.Array(text('An id'), { description: 'Ids of other databases for the same thing' }),
    summary: text('In a line; may be empty'),
    details: text('Markdown; may be empty'),
    severity: Type.Optional(
      Type.Array(Type.Object({ type: text('CVSS_V2, CVSS_V3 or CVSS_V4'), score: text('The vector') }), {
        description: 'Not there without a vector',
      }),
    ),
    affected: Type.Array(
      Type.Object({
        package: Type.Object({
          ecosystem: text('As OSV calls it, for example PyPI'),
          name: text('Name of the package'),
          purl: Type.Optional(text('The same as a package URL')),
        }),
        ranges: Type.Array(
          Type.Object({
            type: text('SEMVER or ECOSYSTEM'),
            events: Type.Array(Event, { description: 'Where it begins and ends' }),
          }),
          { description: 'Ranges of versions' },
        ),
        versions: Type.Array(text('A version'), { description: 'Versions that are listed by themselves' }),
      }),
      { description: 'The packages it is about' },
    ),
    references: Type.Array(Type.Object({ type: text('WEB'), url: text('An address') }), {
      description: 'Where more is said',
    }),
    database_specific: Type.Object({
      severity: text('LOW, MODERATE, HIGH or CRITICAL'),
      cwe_ids: Type.Array(text('For example CWE-79'), { description: 'Weaknesses' }),
    }),
  },
  { description: 'A record of the OSV schema, https://ossf.github.io/osv-schema/' },
)
export type Vulnerability = Static<typeof Vulnerability>

export const OsvQuery = NamedObject(
  'OsvQuery',
  {
    version: bounded(1_000, 'A version; without one, everything about the package'),
    commit: bounded(100, 'Not looked up here: refused'),
    package: Type.Optional(
      Type.Object(
        {
          name: bounded(1_000, 'Name of the package'),
          ecosystem: bounded(
            200,
            'As OSV calls it: npm, PyPI, Maven, Go, crates.io, RubyGems, Packagist, NuGet, Hex, Pub',
          ),
          purl: bounded(2_000, 'In the place of both; with a version, or without one'),
        },
        lenient,
      ),
    ),
    page_token: bounded(300, 'The next_page_token of the page before'),
  },
  lenient,
)
export type OsvQuery = Static<typeof OsvQuery>

const nextPage = Type.Optional(text('There is more: send the query again with this as page_token'))

export const queryAdvisories = endpoint({
  ...common,
  id: 'queryAdvisories',
  summary: 'Ask for the advisories about a package (OSV)',
  description:
    'Of vulnerable and of malicious packages, as https://api.osv.dev/v1/query. Nothing found is an empty object. Withdrawn ones are left out. A page has up to 100.',
  method: 'POST',
  path: '/osv/v1/query',
  params: Type.Object({}),
  body: OsvQuery,
  response: NamedObject('OsvVulnerabilities', {
    vulns: Type.Optional(Type.Array(Vulnerability, { description: 'Ordered by id; not there where there are none' })),
    next_page_token: nextPage,
  }),
  faults: ['malformed_request'],
})
export type OsvVulnerabilities = Static<typeof queryAdvisories.response>

export const queryAdvisoriesBatch = endpoint({
  ...common,
  id: 'queryAdvisoriesBatch',
  summary: 'Ask for the advisories about many packages (OSV)',
  description:
    'Up to 1,000 queries at once, as https://api.osv.dev/v1/querybatch. Answers are in the order of the queries.',
  method: 'POST',
  path: '/osv/v1/querybatch',
  params: Type.Object({}),
  body: NamedObject(
    'OsvBatch',
    { queries: Type.Array(OsvQuery, { maxItems: 1_000, description: 'Each as for one package' }) },
    lenient,
  ),
  response: Type.Object({
    results: Type.Array(
      Type.Object({
        vulns: Type.Optional(
          Type.Array(Type.Object({ id: text('Id of a record'), modified: Timestamp }), {
            description: 'Ordered by id; not there where there are none',
          }),
        ),
        next_page_token: nextPage,
      }),
      { description: 'One for each query' },
    ),
  }),
  faults: ['malformed_request'],
})

export const getAdvisory = endpoint({
  ...common,
  id: 'getAdvisory',
  summary: 'Get an advisory (OSV)',
  description: 'By its id in its database, withdrawn ones too, as https://api.osv.dev/v1/vulns/ID.',
  method: 'GET',
  path: '/osv/v1/vulns/:advisoryId',
  params: Type.Object({
    advisoryId: Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: '^[!-~]+$',
      description: 'For example GHSA-29mw-wpgm-hmr9',
    }),
  }),
  response: Vulnerability,
  faults: ['not_found'],
})
