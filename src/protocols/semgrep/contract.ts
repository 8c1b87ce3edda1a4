import Type, { type Static, type TProperties } from 'typebox'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import { pageFields, pageQuery } from '../../kernel/contract/pagination.ts'
import {
  AnyId,
  DeploymentParams,
  Id,
  NamedObject,
  named,
  OneOf,
  OrNull,
  Timestamp,
} from '../../kernel/contract/schema.ts'
import { semgrepProtocol } from './protocol.ts'

const common = { tag: 'Semgrep', stability: 'beta', protocol: semgrepProtocol, security: 'token' } as const

/** Newer clients send more than is listed. */
const open = <P extends TProperties>(name: string, properties: P) =>
  NamedObject(name, properties, { additionalProperties: true })

const said = (description: string, maxLength = 1_000) => Type.Optional(OrNull(Type.String({ maxLength, description })))

export const SemgrepProject = open('SemgrepProject', {
  repository: Type.String({ minLength: 1, maxLength: 300, description: 'Name of the repository' }),
  repo_display_name: said(
    'What the project is called where that is something else, for example a part of a monorepo',
    300,
  ),
  branch: said('Branch or ref that is checked out'),
  commit: said('Commit that is checked out', 64),
  pull_request_id: said('Number of the pull request', 40),
  is_full_scan: Type.Boolean({ description: 'False where only what changed is scanned' }),
})
export type SemgrepProject = Static<typeof SemgrepProject>

const products = ['sast', 'sca', 'secrets'] as const

const NewSemgrepScan = open('NewSemgrepScan', {
  scan_metadata: open('SemgrepScanMetadata', {
    cli_version: Type.String({ maxLength: 60, description: 'Version of the client' }),
    unique_id: Type.String({
      pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
      maxLength: 36,
      description: 'What the client calls its run; saying it again begins nothing new',
    }),
    requested_products: Type.Array(Type.String({ maxLength: 60, description: 'sast, sca or secrets' }), {
      maxItems: 20,
      description: 'What is to be looked for; empty for everything',
    }),
    dry_run: Type.Optional(Type.Boolean({ description: 'Nothing will be reported' })),
  }),
  project_metadata: SemgrepProject,
})
export type NewSemgrepScan = Static<typeof NewSemgrepScan>

const ScanInfo = NamedObject('SemgrepScanInfo', {
  id: Type.Optional(Id),
  enabled_products: Type.Array(OneOf(products, 'A product'), { description: 'What is looked for' }),
  deployment_id: Id,
  deployment_name: Type.String({ description: 'Stable name of the deployment in a URL' }),
})

const Rule = named(
  'SemgrepRuleDefinition',
  Type.Record(Type.String(), Type.Unknown(), {
    maxProperties: 100,
    description: 'A rule in the syntax of Semgrep, as JSON',
  }),
)
const RuleFile = NamedObject('SemgrepRuleFile', { rules: Type.Array(Rule, { description: 'The rules' }) })

const ScanConfig = NamedObject('SemgrepScanConfig', {
  rules: RuleFile,
  triage_ignored_syntactic_ids: Type.Array(Type.String({ description: 'An id of Semgrep' }), {
    description: 'Always empty',
  }),
  triage_ignored_match_based_ids: Type.Array(Type.String({ description: 'An id of Semgrep' }), {
    description: 'Findings that were ignored in Gatehouse: the client does not show them',
  }),
})

const EngineParameters = NamedObject('SemgrepEngineParameters', {
  dependency_query: Type.Boolean({
    description: 'Whether packages come with the results; if not, they come when the run is complete',
  }),
})

const configFields = { config: ScanConfig, engine_params: EngineParameters }
const faults = ['validation_failed', 'unprocessable'] as const

export const getSemgrepDeployment = endpoint({
  ...common,
  id: 'getSemgrepDeployment',
  summary: 'See which deployment a token is of',
  description: 'What `semgrep login` checks a token with.',
  permission: 'scans:write',
  method: 'GET',
  path: '/api/agent/deployments/current',
  params: Type.Object({}),
  response: Type.Object({
    deployment: NamedObject('SemgrepDeployment', {
      id: Id,
      name: Type.String({ description: 'Stable name of the deployment in a URL' }),
      display_name: Type.String({ description: 'Shown name' }),
      slug: Type.String({ description: 'The same as name' }),
    }),
  }),
  faults: [],
})

export const getSemgrepIdentity = endpoint({
  ...common,
  id: 'getSemgrepIdentity',
  summary: 'See whose a token is',
  description: 'What `semgrep show identity` shows.',
  permission: 'scans:write',
  method: 'GET',
  path: '/api/agent/identity',
  params: Type.Object({}),
  response: Type.Object({
    person_id: Id,
    deployment_id: Id,
    role: Type.String({ description: 'Role in the deployment' }),
  }),
  faults: [],
})

export const createSemgrepScan = endpoint({
  ...common,
  id: 'createSemgrepScan',
  summary: 'Begin a run of semgrep ci',
  description:
    'What it scans is remembered until its results come. Clients since 2026; they then ask for the configuration.',
  permission: 'scans:write',
  method: 'POST',
  path: '/api/cli/v2/scans',
  params: Type.Object({}),
  body: NewSemgrepScan,
  response: Type.Object({ info: ScanInfo }),
  faults,
})

export const getSemgrepScanConfig = endpoint({
  ...common,
  id: 'getSemgrepScanConfig',
  summary: 'Get the rules for a run of semgrep ci',
  description:
    'The rules that were published, by the policy in force, and rules made from advisories about packages in use. Whether the run blocks is decided when it is complete.',
  permission: 'scans:write',
  method: 'GET',
  path: '/api/cli/v2/scans/:scanRequestId/config',
  params: Type.Object({
    scanRequestId: Type.String({
      pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
      maxLength: 36,
      description: 'The unique_id of the run',
    }),
  }),
  response: Type.Object({ status: OneOf(['success'], 'Always success'), ...configFields }),
  faults: ['not_found'],
})

export const createSemgrepScanWithConfig = endpoint({
  ...common,
  id: 'createSemgrepScanWithConfig',
  summary: 'Begin a run of semgrep ci and get its rules',
  description: 'Both in one answer, for clients before 2026.',
  permission: 'scans:write',
  method: 'POST',
  path: '/api/cli/scans',
  params: Type.Object({}),
  body: NewSemgrepScan,
  response: Type.Object({ info: ScanInfo, ...configFields }),
  faults,
})

const ScanParams = Type.Object({ semgrepScanId: Id })
const Warning = NamedObject('SemgrepWarning', {
  message: Type.String({ description: 'Shown to whoever runs the client' }),
})

export const sendSemgrepResults = endpoint({
  ...common,
  id: 'sendSemgrepResults',
  summary: 'Send the results of a run of semgrep ci',
  description:
    'Findings, what was suppressed in the code, the rules that ran, and the files that they ran on. Only what these rules no longer find in these files is fixed. What they found in other files ends with a full scan of a branch.',
  permission: 'scans:write',
  method: 'POST',
  path: '/api/agent/scans/:semgrepScanId/results',
  params: ScanParams,
  upload: { form: 'document' },
  response: Type.Object({ errors: Type.Array(Warning, { description: 'What could not be used' }) }),
  faults: ['not_found', 'malformed_request', 'payload_too_large', 'unprocessable', 'unknown_repository'],
})

export const completeSemgrepScan = endpoint({
  ...common,
  id: 'completeSemgrepScan',
  summary: 'Complete a run of semgrep ci',
  description:
    'The packages of its lockfiles are taken in. The answer says whether a policy or an automation blocks the run, and why.',
  permission: 'scans:write',
  method: 'POST',
  path: '/api/agent/scans/:semgrepScanId/complete',
  params: ScanParams,
  upload: { form: 'document' },
  response: Type.Object({
    success: Type.Boolean({ description: 'Always true' }),
    app_block_override: Type.Boolean({ description: 'The client ends with exit code 1' }),
    app_block_reason: Type.String({ description: 'What it says then' }),
    app_blocking_match_based_ids: Type.Array(Type.String({ description: 'An id of Semgrep' }), {
      description: 'The findings that the client shows as blocking',
    }),
  }),
  faults: ['not_found', 'unprocessable'],
})

export const failSemgrepScan = endpoint({
  ...common,
  id: 'failSemgrepScan',
  summary: 'Say that a run of semgrep ci failed',
  description: 'Nothing of it counts.',
  permission: 'scans:write',
  method: 'POST',
  path: '/api/agent/scans/:semgrepScanId/error',
  params: ScanParams,
  body: open('SemgrepFailure', {
    exit_code: Type.Integer({ minimum: -1_000, maximum: 1_000, description: 'With which the client ends' }),
  }),
  response: Type.Object({}),
  faults: ['not_found'],
})

const ruleNameText = Type.String({
  minLength: 1,
  maxLength: 400,
  pattern: '^[^\\s/?#]+$',
  description: 'Id of a rule, or the beginning of ids up to a dot',
})
const readRules = {
  ...common,
  permission: 'policies:read',
  method: 'GET',
  response: RuleFile,
  faults: ['not_found'],
} as const

export const getSemgrepRulePack = endpoint({
  ...readRules,
  id: 'getSemgrepRulePack',
  summary: 'Get a pack of rules',
  description:
    'For `semgrep scan --config p/NAME`: the rules whose ids begin with NAME and a dot; `all` for every rule.',
  path: '/c/p/:ruleName',
  params: Type.Object({ ruleName: ruleNameText }),
})

export const getSemgrepRule = endpoint({
  ...readRules,
  id: 'getSemgrepRule',
  summary: 'Get a rule',
  description: 'For `semgrep scan --config r/ID`: the rule with this id, or all whose ids begin with it and a dot.',
  path: '/c/r/:ruleName',
  params: Type.Object({ ruleName: ruleNameText }),
})

export const getSemgrepRulePackBefore2025 = endpoint({
  ...readRules,
  id: 'getSemgrepRulePackBefore2025',
  summary: 'Get a pack of rules (older clients)',
  description: 'The same as `getSemgrepRulePack`, where clients before 2025 look for it.',
  path: '/p/:ruleName',
  params: Type.Object({ ruleName: ruleNameText }),
})

export const getSemgrepRuleBefore2025 = endpoint({
  ...readRules,
  id: 'getSemgrepRuleBefore2025',
  summary: 'Get a rule (older clients)',
  description: 'The same as `getSemgrepRule`, where clients before 2025 look for it.',
  path: '/r/:ruleName',
  params: Type.Object({ ruleName: ruleNameText }),
})

export const getSemgrepSnippet = endpoint({
  ...readRules,
  id: 'getSemgrepSnippet',
  summary: 'Get a rule by its number',
  description: 'For `semgrep scan --config s/NUMBER`.',
  path: '/c/s/:semgrepRuleId',
  params: Type.Object({ semgrepRuleId: Id }),
})

export const getSemgrepAutoRules = endpoint({
  ...readRules,
  id: 'getSemgrepAutoRules',
  summary: 'Get all rules',
  description: 'For `semgrep scan --config auto`.',
  path: '/c/auto',
  params: Type.Object({}),
  faults: [],
})

const NewSemgrepRule = open('NewSemgrepRule', {
  definition: open('SemgrepRulePublication', {
    rules: Type.Array(Rule, { minItems: 1, maxItems: 1, description: 'One rule' }),
  }),
  visibility: OneOf(['org_private', 'unlisted', 'public'], 'Who may see it; public is refused'),
})
export type NewSemgrepRule = Static<typeof NewSemgrepRule>

export const publishSemgrepRule = endpoint({
  ...common,
  id: 'publishSemgrepRule',
  summary: 'Publish a rule',
  description:
    'For `semgrep publish`: it takes the place of the rule that has its id. Rules are seen by the deployment alone.',
  permission: 'policies:write',
  method: 'POST',
  path: '/api/registry/rules',
  params: Type.Object({}),
  body: NewSemgrepRule,
  response: Type.Object({ id: Id, path: Type.String({ description: 'Id of the rule' }) }),
  faults: ['validation_failed', 'unprocessable'],
})

const own = { tag: 'Semgrep', stability: 'beta', security: 'both' } as const
const rulesPath = '/api/semgrep/v1/deployments/:deploymentId/rules'

const SemgrepRule = NamedObject('SemgrepRule', {
  id: Id,
  ruleId: Type.String({ description: 'As findings name it' }),
  definition: Rule,
  publishedBy: Id,
  publishedAt: Timestamp,
})
export type SemgrepRule = Static<typeof SemgrepRule>

export const listSemgrepRules = endpoint({
  ...own,
  id: 'listSemgrepRules',
  summary: 'List the published rules',
  description: 'What `semgrep publish` brought, ordered by id.',
  permission: 'policies:read',
  method: 'GET',
  path: rulesPath,
  params: DeploymentParams,
  query: Type.Object({ ...pageQuery }),
  response: Type.Object({ rules: Type.Array(SemgrepRule, { description: 'A page of rules' }), ...pageFields }),
  faults: [],
})

export const deleteSemgrepRule = endpoint({
  ...own,
  id: 'deleteSemgrepRule',
  summary: 'Delete a published rule',
  description: 'Clients no longer get it. Its findings stay as they are. Answers what it was.',
  permission: 'policies:write',
  method: 'DELETE',
  path: `${rulesPath}/:semgrepRuleId`,
  params: Type.Object({ deploymentId: AnyId, semgrepRuleId: Id }),
  response: Type.Object({ rule: SemgrepRule }),
  faults: ['not_found'],
})
