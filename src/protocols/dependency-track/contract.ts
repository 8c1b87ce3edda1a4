import Type, { type Static, type TSchema } from 'typebox'
import type { Download } from '../../kernel/contract/api.ts'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import { NamedObject } from '../../kernel/contract/schema.ts'
import { Finding, Metrics, Project, Team, Version, Violation } from './answers.ts'
import { dependencyTrack as protocol } from './protocol.ts'

const base = { tag: 'Dependency-Track', stability: 'beta', protocol } as const
const reading = {
  ...base,
  security: 'both',
  permission: 'findings:read',
  method: 'GET',
  faults: ['not_found'],
} as const
const uploading = {
  ...base,
  security: 'both',
  permission: 'scans:write',
  faults: ['malformed_request', 'payload_too_large', 'unprocessable', 'unknown_repository', 'not_found'],
} as const

/** Clients leave out what they have no value for, send it empty, or send null. */
const maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))
const text = (description: string) => Type.String({ maxLength: 1_000, description })
const flag = (description: string) =>
  maybe(Type.Union([Type.Boolean(), Type.String({ maxLength: 10 })], { description: `${description}; true or "true"` }))
const lenient = { additionalProperties: true }

const project = {
  project: maybe(text('The id of a project')),
  projectName: maybe(text('Name of the repository')),
  projectVersion: maybe(text('Its version: the default branch, or any other name')),
}

const tagList = Type.Array(
  Type.Object({ name: Type.String({ maxLength: 1_000, description: 'Name of the tag' }) }, lenient),
  { maxItems: 100, description: 'Tags of the repository' },
)

export const BomUpload = NamedObject(
  'DependencyTrackBomUpload',
  {
    ...project,
    projectTags: maybe(
      Type.Union([Type.String({ maxLength: 10_000 }), tagList], {
        description: 'Tags for the repository, with commas between them or as a list',
      }),
    ),
    autoCreate: flag('Create the repository if there is none'),
    isLatest: flag('It is the latest version, and becomes the inventory of the repository'),
    isLatestProjectVersion: flag('The same by another name'),
    bom: maybe(Type.String({ description: 'CycloneDX: the document itself in a form, in base64 in JSON' })),
  },
  lenient,
)
export type BomUpload = Static<typeof BomUpload>
export type ProjectTags = BomUpload['projectTags']

const Uploaded = NamedObject('DependencyTrackUploaded', {
  token: Type.String({ description: 'For asking whether it was processed' }),
  projectUuid: Type.String({ description: 'The project that was uploaded to' }),
})

const upload = {
  ...uploading,
  path: '/api/v1/bom',
  params: Type.Object({}),
  body: BomUpload,
  response: Uploaded,
} as const

export const dtrackPutBom = endpoint({
  ...upload,
  id: 'dtrackPutBom',
  summary: 'Upload a bill of materials (JSON)',
  description:
    'For clients of Dependency-Track, as cdxgen. The bill becomes the inventory of the repository if the version is its default branch or the latest; other versions are kept beside it.',
  method: 'PUT',
  upload: { form: 'envelope', file: 'bom' },
})

export const dtrackPostBom = endpoint({
  ...upload,
  id: 'dtrackPostBom',
  summary: 'Upload a bill of materials (form)',
  description: 'The same as a form, for clients of Dependency-Track as gh-upload-sbom. JSON is taken too.',
  method: 'POST',
  upload: { form: 'fields', files: ['bom'], orJson: true },
})

export const VexUpload = NamedObject(
  'DependencyTrackVexUpload',
  {
    ...project,
    vex: maybe(Type.String({ description: 'CycloneDX with analyses, in base64 where it is sent in JSON' })),
  },
  lenient,
)
export type VexUpload = Static<typeof VexUpload>

const vex = {
  ...uploading,
  permission: 'findings:triage',
  path: '/api/v1/vex',
  params: Type.Object({}),
  body: VexUpload,
  response: NamedObject('DependencyTrackVexTaken', {
    token: Type.String({ description: 'For asking whether it was processed' }),
    decided: Type.Integer({ minimum: 0, description: 'How many findings were decided by it' }),
    notTaken: Type.Array(Type.String(), { description: 'What of it was not taken, and why' }),
  }),
} as const

export const dtrackPutVex = endpoint({
  ...vex,
  id: 'dtrackPutVex',
  summary: 'Take over decisions (VEX, JSON)',
  description:
    'Analyses of a CycloneDX document become decisions of the caller on open findings of the default branch.',
  method: 'PUT',
  upload: { form: 'envelope', file: 'vex' },
})

export const dtrackPostVex = endpoint({
  ...vex,
  id: 'dtrackPostVex',
  summary: 'Take over decisions (VEX, form)',
  description: 'The same as a form. JSON is taken too.',
  method: 'POST',
  upload: { form: 'fields', files: ['vex'], orJson: true },
})

const TokenParams = Type.Object({ token: Type.String({ maxLength: 100, description: 'Of an upload' }) })
const Processing = NamedObject('DependencyTrackProcessing', {
  processing: Type.Boolean({ description: 'Always false: an upload that was answered is processed' }),
})
const waiting = { ...uploading, method: 'GET', params: TokenParams, response: Processing, faults: [] } as const

export const dtrackEvent = endpoint({
  ...waiting,
  id: 'dtrackEvent',
  summary: 'Ask whether an upload is still being processed',
  description: 'It never is.',
  path: '/api/v1/event/token/:token',
})

export const dtrackBomToken = endpoint({
  ...waiting,
  id: 'dtrackBomToken',
  summary: 'Ask whether a bill is still being processed',
  description: 'The same for clients from before Dependency-Track 4.11.',
  path: '/api/v1/bom/token/:token',
})

const page = {
  pageNumber: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'From 1' })),
  pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, description: 'Most entries a page' })),
}

const ProjectsQuery = Type.Object(
  {
    ...page,
    name: Type.Optional(text('Only projects of this name')),
    excludeInactive: Type.Optional(text('"true": without archived repositories')),
  },
  lenient,
)

export const dtrackProjects = endpoint({
  ...reading,
  id: 'dtrackProjects',
  summary: 'List projects',
  description:
    'Versions of repositories whose components are known, by name. The header `X-Total-Count` has their number.',
  path: '/api/v1/project',
  params: Type.Object({}),
  query: ProjectsQuery,
  response: Type.Array(Project),
})

const LookupQuery = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 1_000, description: 'Name of the repository' }),
    version: Type.Optional(text('Its version; the default branch where there is none')),
  },
  lenient,
)

export const dtrackLookup = endpoint({
  ...reading,
  id: 'dtrackLookup',
  summary: 'Look up a project by name and version',
  description: '404 where nothing is known of this version.',
  path: '/api/v1/project/lookup',
  params: Type.Object({}),
  query: LookupQuery,
  response: Project,
})

export const dtrackLatest = endpoint({
  ...reading,
  id: 'dtrackLatest',
  summary: 'Get the latest version of a project',
  description: 'The one that was last uploaded as the latest; else the default branch.',
  path: '/api/v1/project/latest/:name',
  params: Type.Object({ name: text('Name of the repository') }),
  response: Project,
})

const ProjectParams = Type.Object({ uuid: Type.String({ maxLength: 100, description: 'Id of the project' }) })

export const dtrackProject = endpoint({
  ...reading,
  id: 'dtrackProject',
  summary: 'Get a project',
  description: 'By the id that an upload or a lookup answered.',
  path: '/api/v1/project/:uuid',
  params: ProjectParams,
  response: Project,
})

const projectChanges = {
  tags: maybe(tagList),
  active: maybe(Type.Boolean({ description: 'False: the repository is archived' })),
  name: maybe(text('As it is: other names are refused')),
  version: maybe(text('As it is: other versions are refused')),
  isLatest: maybe(Type.Boolean({ description: 'Taken of the latest version only: an upload says which one that is' })),
}
const ProjectChanges = NamedObject('DependencyTrackProjectChanges', projectChanges, lenient)
export type ProjectChanges = Static<typeof ProjectChanges>

const changing = {
  ...base,
  security: 'both',
  permission: 'repositories:write',
  response: Project,
  faults: ['validation_failed', 'not_found'],
} as const

export const dtrackPatchProject = endpoint({
  ...changing,
  id: 'dtrackPatchProject',
  summary: 'Change the tags of a project',
  description: 'Tags and whether it is active, which are those of the repository. What else is sent is passed over.',
  method: 'PATCH',
  path: '/api/v1/project/:uuid',
  params: ProjectParams,
  body: ProjectChanges,
})

export const dtrackPostProject = endpoint({
  ...changing,
  id: 'dtrackPostProject',
  summary: 'Update a project',
  description: 'The same, with the id of the project in the body.',
  method: 'POST',
  path: '/api/v1/project',
  params: Type.Object({}),
  body: NamedObject('DependencyTrackProjectUpdate', { uuid: text('Id of the project'), ...projectChanges }, lenient),
})

const ExportQuery = Type.Object(
  {
    format: Type.Optional(text('json, which is the default; others are refused')),
    variant: Type.Optional(
      text('inventory, which is the default; withVulnerabilities; or vdr: only what is affected, with decisions'),
    ),
  },
  lenient,
)

export const dtrackExportBom = endpoint({
  ...reading,
  permission: 'dependencies:read',
  id: 'dtrackExportBom',
  summary: 'Export the bill of a project',
  description:
    'The components of the version as CycloneDX 1.6: of the default branch, those of all its sources together. With vulnerabilities it takes `findings:read` as well.',
  path: '/api/v1/bom/cyclonedx/project/:uuid',
  params: ProjectParams,
  query: ExportQuery,
  response: Type.Unsafe<Download>({ type: 'object', description: 'A CycloneDX document' }),
  download: { mediaTypes: ['application/vnd.cyclonedx+json'] },
  faults: ['not_found', 'validation_failed', 'forbidden'],
})

const FindingsQuery = Type.Object(
  {
    ...page,
    suppressed: Type.Optional(text('"true": also what was ignored')),
    source: Type.Optional(text('Only of this database: NVD, GITHUB or OSV')),
    isKev: Type.Optional(text('Not known here, so it is refused')),
    epssFrom: Type.Optional(text('Not known here, so it is refused')),
    epssTo: Type.Optional(text('Not known here, so it is refused')),
  },
  lenient,
)

export const dtrackFindings = endpoint({
  ...reading,
  id: 'dtrackFindings',
  summary: 'List the findings of a project',
  description:
    'What advisories say today about the components of the version, the most severe first. All of them, unless a page is asked for; `X-Total-Count` has their number.',
  path: '/api/v1/finding/project/:uuid',
  params: ProjectParams,
  query: FindingsQuery,
  response: Type.Array(Finding),
  faults: ['not_found', 'validation_failed'],
})

export const dtrackViolations = endpoint({
  ...reading,
  id: 'dtrackViolations',
  summary: 'List the policy violations of a project',
  description: 'Malicious packages among its components. Our other policies are about pull requests.',
  path: '/api/v1/violation/project/:uuid',
  params: ProjectParams,
  query: Type.Object(page, lenient),
  response: Type.Array(Violation),
})

export const dtrackMetrics = endpoint({
  ...reading,
  id: 'dtrackMetrics',
  summary: 'Get the metrics of a project',
  description: 'Counted from its findings and violations as of now.',
  path: '/api/v1/metrics/project/:uuid/current',
  params: ProjectParams,
  response: Metrics,
})

export const dtrackRefreshMetrics = endpoint({
  ...reading,
  id: 'dtrackRefreshMetrics',
  summary: 'Refresh the metrics of a project',
  description: 'They are always fresh.',
  path: '/api/v1/metrics/project/:uuid/refresh',
  params: ProjectParams,
  response: Type.Object({}),
})

export const dtrackTeam = endpoint({
  ...uploading,
  id: 'dtrackTeam',
  summary: 'Get what a token may do',
  description: 'In the words of Dependency-Track, for connection tests.',
  method: 'GET',
  path: '/api/v1/team/self',
  params: Type.Object({}),
  response: Team,
  faults: [],
})

export const dtrackVersion = endpoint({
  ...base,
  id: 'dtrackVersion',
  summary: 'Get the version that clients go by',
  description: 'A version of Dependency-Track that has what is served here, since clients look for features by it.',
  security: 'none',
  permission: 'anyone',
  method: 'GET',
  path: '/api/version',
  params: Type.Object({}),
  response: Version,
  faults: [],
})
