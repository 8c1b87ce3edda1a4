import Type, { type Static } from 'typebox'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import { IdParameter, NamedObject, named } from '../../kernel/contract/schema.ts'
import { gitHub } from './protocol.ts'

const shared = {
  tag: 'GitHub',
  stability: 'beta',
  security: 'token',
  permission: 'scans:write',
  protocol: gitHub,
} as const

const base = '/api/v3/repos/:owner/:repo'
const namePart = (description: string) =>
  Type.String({ minLength: 1, maxLength: 140, pattern: '^[A-Za-z0-9._-]+$', description })
const RepositoryParams = Type.Object({
  owner: namePart('First part of the name of the repository'),
  repo: namePart('Second part of the name of the repository'),
})

const Sha = named(
  'GitHubSha',
  Type.String({
    pattern: '^([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$',
    maxLength: 64,
    description: 'Commit that was scanned',
  }),
)
const FullRef = named(
  'GitHubRef',
  Type.String({
    pattern: '^refs/(heads|tags|pull)/[^\\s~^:?*\\[\\\\]+$',
    maxLength: 250,
    description: 'Branch, tag or pull request that was scanned, for example refs/heads/main or refs/pull/7/merge',
  }),
)
const CheckoutUri = Type.Optional(
  Type.String({
    maxLength: 1_000,
    description: 'Folder of the checkout, for example file:///home/runner/work/app/app',
  }),
)

/** What clients send besides is not looked at. */
const lenient = { additionalProperties: true } as const

/** `sarif` is the log, packed with gzip and written in base64; it is received into a file. */
export const NewSarif = NamedObject(
  'GitHubSarif',
  {
    commit_sha: Sha,
    ref: FullRef,
    checkout_uri: CheckoutUri,
    tool_name: Type.Optional(Type.String({ maxLength: 200, description: 'Not looked at: the log says it' })),
  },
  lenient,
)
export type NewSarif = Static<typeof NewSarif>

export const NewAnalysis = NamedObject(
  'GitHubAnalysis',
  {
    commit_oid: Sha,
    ref: FullRef,
    analysis_key: Type.Optional(
      Type.String({ maxLength: 500, description: 'Workflow and job; part of the category of logs that have none' }),
    ),
    analysis_name: Type.Optional(
      Type.String({
        maxLength: 500,
        description: 'Name of the workflow; used in place of its file if that is not known',
      }),
    ),
    environment: Type.Optional(
      Type.String({
        maxLength: 2_000,
        description: 'Matrix of the job as JSON; part of the category of logs that have none',
      }),
    ),
    checkout_uri: CheckoutUri,
    workflow_run_id: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Run of the workflow: tells a job that runs again from a branch that was set back',
      }),
    ),
    base_ref: Type.Optional(Type.String({ maxLength: 250, description: 'Of a pull request: branch that it goes to' })),
  },
  lenient,
)
export type NewAnalysis = Static<typeof NewAnalysis>

const Taken = NamedObject('GitHubSarifReceipt', {
  id: Type.String({ description: 'Id of the scan' }),
  url: Type.String({ description: 'Where its status is' }),
})

const faults = ['validation_failed', 'unknown_repository', 'unprocessable', 'payload_too_large'] as const

export const uploadSarif = endpoint({
  ...shared,
  id: 'gitHubUploadSarif',
  summary: 'Upload a SARIF log',
  description:
    'As GitHub takes it from scripts. What the same tool found before under the same category (`automationDetails.id`) and is not in the log is fixed.',
  method: 'POST',
  path: `${base}/code-scanning/sarifs`,
  params: RepositoryParams,
  body: NewSarif,
  upload: { form: 'envelope', file: 'sarif' },
  response: Taken,
  faults,
})

export const uploadAnalysis = endpoint({
  ...shared,
  id: 'gitHubUploadAnalysis',
  summary: 'Upload a SARIF log as the action does',
  description: 'What `github/codeql-action/upload-sarif` calls. The same as uploading a SARIF log.',
  method: 'PUT',
  path: `${base}/code-scanning/analysis`,
  params: RepositoryParams,
  body: NewAnalysis,
  upload: { form: 'envelope', file: 'sarif' },
  response: Taken,
  faults,
})

export const getSarifStatus = endpoint({
  ...shared,
  id: 'gitHubGetSarifStatus',
  summary: 'Get the status of an upload',
  description: 'Always complete: an upload is answered when all is done.',
  method: 'GET',
  path: `${base}/code-scanning/sarifs/:sarifId`,
  params: Type.Object({ ...RepositoryParams.properties, sarifId: IdParameter }),
  response: NamedObject('GitHubSarifStatus', {
    processing_status: Type.Literal('complete', { description: 'It is done' }),
    analyses_url: Type.Null({ description: 'Not served' }),
    errors: Type.Null({ description: 'There are none: what cannot be read is refused at once' }),
  }),
  faults: ['not_found'],
})

export const reportStatus = endpoint({
  ...shared,
  id: 'gitHubReportStatus',
  summary: 'Say how a run of the action went',
  description: 'What `github/codeql-action` reports about itself. It is not kept.',
  method: 'PUT',
  path: `${base}/code-scanning/analysis/status`,
  params: RepositoryParams,
  body: Type.Object({}, lenient),
  response: Type.Object({}),
  faults: ['validation_failed'],
})

export const getWorkflowRun = endpoint({
  ...shared,
  id: 'gitHubGetWorkflowRun',
  summary: 'Get the workflow of a run',
  description:
    'What `github/codeql-action` asks for the file of its workflow, to tell analyses apart. It is not known here: the name of the workflow, which the action sends with the log, is taken instead.',
  method: 'GET',
  path: `${base}/actions/runs/:runId`,
  params: Type.Object({ ...RepositoryParams.properties, runId: IdParameter }),
  query: Type.Object({}, lenient),
  response: NamedObject('GitHubWorkflowRun', {
    id: Type.Integer({ description: 'As it was asked' }),
    path: Type.String({ description: 'Stands for the file of the workflow' }),
  }),
  faults: [],
})

export const getMeta = endpoint({
  ...shared,
  id: 'gitHubGetMeta',
  summary: 'Say what server this is',
  description: 'A GitHub Enterprise Server, to clients that want to know.',
  method: 'GET',
  path: '/api/v3/meta',
  params: Type.Object({}),
  response: NamedObject('GitHubMeta', {
    installed_version: Type.String({ description: 'The version whose interface this is' }),
  }),
  faults: [],
})

export const SnapshotReceipt = NamedObject('GitHubSnapshotReceipt', {
  id: Type.Integer({ description: 'Id of the scan' }),
  created_at: Type.String({ description: 'When it was taken' }),
  result: Type.Union([Type.Literal('SUCCESS'), Type.Literal('ACCEPTED')], {
    description: 'Accepted: it is not of the default branch, so the inventory is as it was',
  }),
  message: Type.String({ description: 'What was done, for a person' }),
})

export const submitSnapshot = endpoint({
  ...shared,
  id: 'gitHubSubmitSnapshot',
  summary: 'Submit a snapshot of dependencies',
  description:
    'As GitHub takes it from build plug-ins. It replaces the last one of the same correlator and detector; the inventory has those of all of them.',
  method: 'POST',
  path: `${base}/dependency-graph/snapshots`,
  params: RepositoryParams,
  upload: { form: 'document' },
  response: SnapshotReceipt,
  faults,
})
