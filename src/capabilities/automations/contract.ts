import Type, { type Static } from 'typebox'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import { pageFields, pageQuery } from '../../kernel/contract/pagination.ts'
import {
  AnyId,
  Count,
  DeploymentParams,
  Id,
  IdParameter,
  IdString,
  Name,
  NamedObject,
  named,
  OneOf,
  OrNull,
  Timestamp,
} from '../../kernel/contract/schema.ts'
import { Automation, AutomationFilters, actionTypes, Description, SentAction, Trigger } from './automation.ts'

const path = '/api/notifications/deployments/:deploymentId/automations'
const common = { tag: 'Automations', stability: 'experimental', security: 'both' } as const
const OneParams = Type.Object({ deploymentId: AnyId, automationId: IdParameter })
const OneAutomation = NamedObject('OneAutomation', { automation: Automation })
const Active = named('AutomationActive', Type.Boolean({ description: 'Whether it does anything' }))
const Actions = named(
  'AutomationActions',
  Type.Array(SentAction, { minItems: 1, maxItems: 20, description: 'What is done, each of it' }),
)

export const listAutomations = endpoint({
  ...common,
  id: 'listAutomations',
  summary: 'List automations',
  description: 'All of the deployment, ordered by id.',
  permission: 'automations:read',
  method: 'GET',
  path,
  params: DeploymentParams,
  response: Type.Object({ automations: Type.Array(Automation, { description: 'All of them, ordered by id' }) }),
  faults: [],
})

const NewAutomation = NamedObject('NewAutomation', {
  deploymentId: Type.Optional(Id),
  name: Name,
  description: Type.Optional(Description),
  active: Type.Optional(Active),
  triggerSource: Trigger,
  filters: AutomationFilters,
  actions: Actions,
})
export type NewAutomation = Static<typeof NewAutomation>

export const createAutomation = endpoint({
  ...common,
  id: 'createAutomation',
  summary: 'Create an automation',
  description:
    'Active unless told otherwise. Secrets of its actions are stored encrypted and returned by no endpoint. An action that this Gatehouse cannot carry out is refused.',
  permission: 'automations:write',
  method: 'POST',
  path,
  params: DeploymentParams,
  body: NewAutomation,
  response: OneAutomation,
  faults: ['id_mismatch', 'validation_failed', 'unprocessable', 'not_configured'],
})

export const getAutomation = endpoint({
  ...common,
  id: 'getAutomation',
  summary: 'Get an automation',
  description: 'With its conditions and actions, without the secrets of these.',
  permission: 'automations:read',
  method: 'GET',
  path: `${path}/:automationId`,
  params: OneParams,
  response: OneAutomation,
  faults: ['not_found'],
})

const AutomationChanges = NamedObject('AutomationChanges', {
  deploymentId: Type.Optional(Id),
  name: Type.Optional(Name),
  description: Type.Optional(Description),
  active: Type.Optional(Active),
  triggerSource: Type.Optional(Trigger),
  filters: Type.Optional(AutomationFilters),
  actions: Type.Optional(Actions),
})
export type AutomationChanges = Static<typeof AutomationChanges>

export const updateAutomation = endpoint({
  ...common,
  id: 'updateAutomation',
  summary: 'Update an automation',
  description:
    'What is left out stays. `actions` replaces the whole list: an entry with the id of an action changes that one, one without an id is new, what is not named goes. A webhook that is named by its id without `url` and `secret` keeps both.',
  permission: 'automations:write',
  method: 'PATCH',
  path: `${path}/:automationId`,
  params: OneParams,
  body: AutomationChanges,
  response: OneAutomation,
  faults: ['not_found', 'id_mismatch', 'validation_failed', 'unprocessable', 'not_configured', 'precondition_failed'],
})

export const deleteAutomation = endpoint({
  ...common,
  id: 'deleteAutomation',
  summary: 'Delete an automation',
  description: 'With its secrets and its history. What it has not done yet is not done. Answers what it was.',
  permission: 'automations:write',
  method: 'DELETE',
  path: `${path}/:automationId`,
  params: OneParams,
  response: OneAutomation,
  faults: ['not_found', 'precondition_failed'],
})

const runStatuses = ['RUN_STATUS_PENDING', 'RUN_STATUS_DONE', 'RUN_STATUS_DEAD'] as const
const Subjects = named(
  'AutomationSubjects',
  Type.Array(Type.String({ description: 'Kind and id, for example finding:12' }), {
    description: 'What it was about, the first hundred',
  }),
)

const NameOfRepository = named(
  'NameOfRepository',
  Type.String({ description: 'Name of the repository; empty where there is none, or it was deleted' }),
)

const AutomationRun = NamedObject('AutomationRun', {
  id: IdString,
  actionId: IdString,
  actionType: OneOf(actionTypes, 'What was done'),
  status: OneOf(runStatuses, 'Dead: given up after many tries; the dead letter can be tried again'),
  triggerSource: Trigger,
  repositoryId: IdString,
  repositoryName: NameOfRepository,
  ref: Type.String({ description: 'Branch or tag; empty where there is none' }),
  scanId: IdString,
  subjectCount: Count,
  subjects: Subjects,
  createdAt: Timestamp,
  finishedAt: OrNull(Timestamp),
  attempts: Count,
  error: Type.String({ description: 'Why the last try failed; empty where it did not' }),
  deadLetterId: Type.String({ description: 'Its dead letter; empty where it has none' }),
})
export type AutomationRun = Static<typeof AutomationRun>

export const listAutomationRuns = endpoint({
  ...common,
  id: 'listAutomationRuns',
  summary: 'List what an automation did',
  description: 'Each action on its own, newest first; kept for 90 days.',
  permission: 'automations:write',
  method: 'GET',
  path: `${path}/:automationId/runs`,
  params: OneParams,
  query: Type.Object({ ...pageQuery, actionId: Type.Optional(IdParameter) }),
  response: Type.Object({ runs: Type.Array(AutomationRun, { description: 'A page of them' }), ...pageFields }),
  faults: ['not_found'],
})

const Some = Type.Optional(Type.Array(IdString, { maxItems: 500, description: 'At most 500 in all' }))

export const fireAutomation = endpoint({
  ...common,
  id: 'fireAutomation',
  summary: 'Fire a manual automation',
  description: 'On findings and issues that the caller sees. Those that its conditions do not hold for are left out.',
  permission: 'automations:fire',
  method: 'POST',
  path: `${path}/:automationId/fire`,
  params: OneParams,
  body: Type.Object({ findingIds: Some, issueIds: Some }),
  response: Type.Object({
    subjects: Type.Array(Type.String({ description: 'Kind and id, for example finding:12' }), {
      description: 'What it acts on',
    }),
  }),
  faults: ['not_found', 'validation_failed', 'unprocessable'],
})

const DryRunAction = NamedObject('DryRunAction', {
  actionId: IdString,
  type: OneOf(actionTypes, 'What would have been done'),
  subjectCount: Count,
  subjects: Subjects,
})
const DryRunScan = NamedObject('DryRunScan', {
  scanId: IdString,
  repositoryId: IdString,
  repositoryName: NameOfRepository,
  ref: Type.String({ description: 'Branch or tag that was scanned' }),
  createdAt: Timestamp,
  blocked: Type.Boolean({ description: 'Whether it would have been blocked' }),
  actions: Type.Array(DryRunAction, { description: 'What would have been done' }),
})
export type DryRunScan = Static<typeof DryRunScan>

const Scans = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 100, description: 'How many scans to look at; 20 by default' }),
)
const DryRun = NamedObject('DryRun', {
  scans: Type.Array(DryRunScan, { description: 'Those on which something would have been done' }),
  looked: Type.Integer({ minimum: 0, description: 'How many scans were tried' }),
})

export const dryRunAutomation = endpoint({
  ...common,
  id: 'dryRunAutomation',
  summary: 'See what an automation would have done',
  description:
    'On the last scans, newest first, by the findings that each of them raised or reopened, as they are known today. Nothing is done, whether it is active or not.',
  permission: 'automations:write',
  method: 'POST',
  path: `${path}/:automationId/dry-run`,
  params: OneParams,
  body: Type.Object({ scans: Scans }),
  response: DryRun,
  faults: ['not_found', 'unprocessable'],
})

export const tryAutomation = endpoint({
  ...common,
  id: 'tryAutomation',
  summary: 'See what an automation would have done, before it is saved',
  description:
    'A dry run of conditions and kinds of actions that are stored nowhere, on the last scans, newest first. Nothing is done and nothing is stored. `actionId` is the place in `actionTypes`, counted from 1.',
  permission: 'automations:write',
  method: 'POST',
  path: `${path}/dry-run`,
  params: DeploymentParams,
  body: Type.Object({
    filters: AutomationFilters,
    actionTypes: Type.Array(OneOf(actionTypes, 'What would be done'), {
      minItems: 1,
      maxItems: 20,
      description: 'What would be done, without the settings that doing it takes',
    }),
    scans: Scans,
  }),
  response: DryRun,
  faults: ['validation_failed', 'unprocessable'],
})
