import Type, { type Static } from 'typebox'
import { endpoint } from '../../../kernel/contract/endpoint.ts'
import { pageFields, pageQuery } from '../../../kernel/contract/pagination.ts'
import {
  AnyId,
  Count,
  DeploymentParams,
  Id,
  IdParameter,
  NamedObject,
  named,
  OneOf,
  OrNull,
  Timestamp,
  VersionedObject,
} from '../../../kernel/contract/schema.ts'
import { Ecosystem, PackageName, Verdict } from '../contract.ts'

const path = '/api/firewall/v1/deployments/:deploymentId'
const common = { tag: 'Malware firewall', stability: 'experimental', security: 'both' } as const
const OneParams = Type.Object({ deploymentId: AnyId, exceptionId: Id })

const AskedVersion = named(
  'AskedVersion',
  Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'The version; * for a package that is refused as a whole',
  }),
)
const Why = (name: string, description: string) =>
  named(name, Type.String({ minLength: 1, maxLength: 500, pattern: '\\S', description }))

/** An expired one was approved, and its end has come. */
const exceptionStates = ['open', 'approved', 'rejected', 'ended', 'expired'] as const
const State = named(
  'ExceptionState',
  OneOf(exceptionStates, 'Waits for a decision; is in force; was not granted; was ended early; has run out'),
)

const Asker = NamedObject('ExceptionAsker', {
  personId: Type.Integer({ minimum: 0, description: 'Who asked' }),
  personName: Type.String({ description: 'Name of the person; empty where it is not known' }),
  reason: Type.String({ description: 'What they need it for' }),
  askedAt: Timestamp,
})

export const FirewallException = VersionedObject('FirewallException', {
  id: Id,
  ecosystem: Ecosystem,
  name: PackageName,
  version: AskedVersion,
  state: State,
  rule: Type.String({ description: 'What had refused it when it was first asked for' }),
  refusedBecause: Type.String({ description: 'Why it was refused then, for a person' }),
  advisoryIds: Type.Array(Type.String(), { description: 'The advisories that named it then' }),
  askerCount: Count,
  askers: Type.Array(Asker, {
    description:
      'People who asked, the first of them first, at most 100; callers who may not decide see only themselves',
  }),
  createdAt: Timestamp,
  decidedBy: Type.Integer({ minimum: 0, description: 'Id of the person who decided; 0 while it is open' }),
  decidedByName: Type.String({ description: 'Name of that person; empty where it is not known' }),
  decidedAt: OrNull(Timestamp),
  decisionReason: Type.String({ description: 'Why it was decided so; empty while it is open' }),
  versions: Type.String({ description: 'The versions that were approved, as in overrides; empty for every version' }),
  scope: OneOf(['deployment', 'team'], 'For whom it was approved'),
  teamId: Type.Integer({ minimum: 0, description: 'The team, with all teams below it; 0 where there is none' }),
  teamName: Type.String({ description: 'Name of the team; empty where there is none' }),
  expiresAt: OrNull(Timestamp),
  newAdvisoryIds: Type.Array(Type.String(), { description: 'Advisories that have named it since it was approved' }),
  endedBy: Type.Integer({
    minimum: 0,
    description:
      'Id of the person who ended it early; 0 if nobody did, or if Gatehouse did because it became known as malware',
  }),
  endedByName: Type.String({ description: 'Name of that person; empty where it is not known' }),
  endedAt: OrNull(Timestamp),
  endedReason: Type.String({ description: 'Why it was ended early; else empty' }),
})
export type FirewallException = Static<typeof FirewallException>

const OneException = NamedObject('OneFirewallException', { exception: FirewallException })

const ExceptionWish = NamedObject('ExceptionWish', {
  ecosystem: Ecosystem,
  name: PackageName,
  version: AskedVersion,
  reason: Why('ExceptionWishReason', 'What it is needed for; shown to whoever decides'),
})
export type ExceptionWish = Static<typeof ExceptionWish>

export const askForException = endpoint({
  ...common,
  id: 'askForException',
  summary: 'Ask for an exception',
  description:
    'For a version that the firewall refuses. There is one request for each version, with everybody who asked; whoever asks again changes their reason. Owners and admins are told. What would be let through is 422, and what no exception lets in: known malware, what is refused for lack of advisories, a version that its registry does not have.',
  permission: 'firewall:ask',
  method: 'POST',
  path: `${path}/exceptions`,
  params: DeploymentParams,
  body: ExceptionWish,
  response: NamedObject('AskedFirewallException', {
    exception: FirewallException,
    byMail: Type.Boolean({
      description: 'Whether you are told by mail when it is decided: only where a mail server is configured',
    }),
  }),
  faults: ['unprocessable'],
})

export const listExceptions = endpoint({
  ...common,
  id: 'listExceptions',
  summary: 'List exceptions and requests for them',
  description: 'Who may decide sees all; others see what they asked for themselves.',
  permission: 'firewall:read',
  method: 'GET',
  path: `${path}/exceptions`,
  params: DeploymentParams,
  query: Type.Object({
    ...pageQuery,
    state: Type.Optional(State),
    package: Type.Optional(
      Type.String({ maxLength: 400, description: 'Only where the name has this in it, in any case' }),
    ),
    personId: Type.Optional(IdParameter),
  }),
  response: Type.Object({ exceptions: Type.Array(FirewallException, { description: 'Newest first' }), ...pageFields }),
  faults: [],
})

export const getException = endpoint({
  ...common,
  id: 'getException',
  summary: 'Get an exception',
  description: 'Of one that neither you may decide about nor asked for: 404.',
  permission: 'firewall:read',
  method: 'GET',
  path: `${path}/exceptions/:exceptionId`,
  params: OneParams,
  response: OneException,
  faults: ['not_found'],
})

const Evidence = NamedObject('ExceptionEvidence', {
  verdict: { ...OrNull(Verdict), description: 'As it is now; null where it takes a version to tell' },
  vulnerabilities: Type.Array(
    Type.Object({
      id: Type.String({ description: 'The id it is best known by' }),
      title: Type.String({ description: 'What it is about' }),
      severity: Type.String({ description: 'For example SEVERITY_HIGH' }),
      exploited: Type.Boolean({ description: 'Whether it is known to be exploited' }),
      fixedVersions: Type.Array(Type.String(), { description: 'Versions that have it no longer' }),
    }),
    { description: 'What advisories say about the version, the most severe first' },
  ),
  repositoryCount: Count,
  repositories: Type.Array(
    Type.Object({
      id: Id,
      name: Type.String({ description: 'Name of the repository' }),
      versions: Type.Array(Type.String(), { description: 'The versions of the package that it has' }),
    }),
    { description: 'Repositories that have any version of the package, the first 50' },
  ),
  refusals: Type.Array(
    Type.Object({
      personId: Type.Integer({ minimum: 0, description: 'Who was refused it; 0 once that is forgotten' }),
      personName: Type.String({ description: 'Name of the person; empty where it is not known' }),
      count: Count,
      lastAt: Timestamp,
    }),
    { description: 'Who was refused the version in the last 30 days, the most often first, at most 50' },
  ),
})
export type ExceptionEvidence = Static<typeof Evidence>

export const getExceptionEvidence = endpoint({
  ...common,
  id: 'getExceptionEvidence',
  summary: 'What speaks for and against an exception',
  description:
    'The verdict without any exception, as it is now, vulnerabilities of the version, the repositories that have the package, and who was refused it.',
  permission: 'firewall:write',
  method: 'GET',
  path: `${path}/exceptions/:exceptionId/evidence`,
  params: OneParams,
  response: Evidence,
  faults: ['not_found'],
})

const ExceptionDecision = NamedObject('ExceptionDecision', {
  decision: OneOf(['approve', 'reject'], 'Approve: it comes in, as far and as long as is said. Reject: it does not'),
  reason: Why('ExceptionDecisionReason', 'Why; told to everybody who asked'),
  versions: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'What to approve: a version or a range as in overrides, empty for every version; the version that was asked for where it is left out',
    }),
  ),
  teamId: Type.Optional(OrNull(Id)),
  expiresAt: Type.Optional(Timestamp),
})
export type ExceptionDecision = Static<typeof ExceptionDecision>

export const decideException = endpoint({
  ...common,
  id: 'decideException',
  summary: 'Approve or reject an exception',
  description:
    'To approve takes expiresAt, at most a year ahead; with teamId it is for the members of that team and of the teams below it. Known malware cannot be approved, nor a version that its registry does not have, or may not have while it does not answer: 422. Where the settings ask for four eyes, whoever asked cannot approve: 403. In force within a second, everywhere.',
  permission: 'firewall:write',
  method: 'POST',
  path: `${path}/exceptions/:exceptionId/decision`,
  params: OneParams,
  body: ExceptionDecision,
  response: OneException,
  faults: ['not_found', 'forbidden', 'conflict', 'unprocessable', 'precondition_failed'],
})

export const endException = endpoint({
  ...common,
  id: 'endException',
  summary: 'End an exception',
  description: 'Before its time; what it let in is refused again within a second, everywhere. It stays on record.',
  permission: 'firewall:write',
  method: 'POST',
  path: `${path}/exceptions/:exceptionId/end`,
  params: OneParams,
  body: NamedObject('ExceptionEnd', { reason: Why('ExceptionEndReason', 'Why; told to everybody who asked') }),
  response: OneException,
  faults: ['not_found', 'conflict', 'precondition_failed'],
})

const LastDecision = NamedObject('LastExceptionDecision', {
  id: Id,
  state: State,
  decisionReason: Type.String({ description: 'Why it was decided so' }),
  decidedAt: Timestamp,
  expiresAt: OrNull(Timestamp),
  endedReason: Type.String({ description: 'Why it was ended early; else empty' }),
})

export const getRefusedPackage = endpoint({
  ...common,
  id: 'getRefusedPackage',
  summary: 'Why a version is refused, and how to get on',
  description:
    'What a refusal links to: the verdict as it is now for you, what was asked and decided about the version, and whom to ask.',
  permission: 'firewall:read',
  method: 'GET',
  path: `${path}/refused`,
  params: DeploymentParams,
  query: Type.Object({ ecosystem: Ecosystem, name: PackageName, version: AskedVersion }),
  response: Type.Object({
    verdict: { ...OrNull(Verdict), description: 'As it is now for you; null where it takes a version to tell' },
    contact: Type.String({ description: 'What the deployment says about whom to ask; may be empty' }),
    askerCount: { ...Count, description: 'How many people wait for a decision about this version' },
    asked: Type.Boolean({ description: 'Whether you are one of them' }),
    mayBeAsked: Type.Boolean({
      description:
        'Whether an exception may help, as far as that is known without asking its registry for it: not for known malware, for lack of advisories, or for a private name that nobody is asked for',
    }),
    last: { ...OrNull(LastDecision), description: 'What was decided last about this version; null where nothing was' },
  }),
  faults: [],
})
export type RefusedPackage = Static<typeof getRefusedPackage.response>

const settingFields = {
  contact: Type.String({
    maxLength: 200,
    pattern: '^[^\\p{Cc}]*$',
    description: 'What every refusal ends with, for example whom to ask and where; empty for nothing',
  }),
  fourEyes: Type.Boolean({ description: 'Whether those who asked for an exception are kept from approving it' }),
}
const ExceptionSettings = VersionedObject('ExceptionSettings', settingFields)
export type ExceptionSettings = Static<typeof ExceptionSettings>

export const getExceptionSettings = endpoint({
  ...common,
  id: 'getExceptionSettings',
  summary: 'What the deployment chose about exceptions',
  description: 'Send its ETag as If-Match with a change.',
  permission: 'firewall:read',
  method: 'GET',
  path: `${path}/exception-settings`,
  params: DeploymentParams,
  response: ExceptionSettings,
  faults: [],
})

export const putExceptionSettings = endpoint({
  ...common,
  id: 'putExceptionSettings',
  summary: 'Choose about exceptions',
  description: 'Replaces what was chosen. In force within a second, everywhere.',
  permission: 'firewall:write',
  method: 'PUT',
  path: `${path}/exception-settings`,
  params: DeploymentParams,
  body: NamedObject('ExceptionSettingsChange', settingFields),
  response: ExceptionSettings,
  faults: ['precondition_failed'],
})
