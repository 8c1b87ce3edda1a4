import Type, { type Static } from 'typebox'
import { severities } from '../../domain/severity.ts'
import { triageReasons, triageStates } from '../../domain/triage.ts'
import { IdString, named, OneOf, OrNull, Timestamp, VersionedObject } from '../../kernel/contract/schema.ts'

export { severities }
export type Severity = (typeof severities)[number]

const detectionStates = ['DETECTION_STATE_DETECTED', 'DETECTION_STATE_NOT_DETECTED'] as const

export const State = named('TriageState', OneOf(triageStates, 'What was decided about it'))
export const Reason = named(
  'TriageReason',
  OneOf(triageReasons, 'Why; TRIAGE_REASON_UNSPECIFIED where no reason was given'),
)
export const SeverityLevel = named('Severity', OneOf(severities, 'How bad it is'))
export const Detection = named('DetectionState', OneOf(detectionStates, 'Whether the last report still saw it'))

function texts(description: string) {
  const text = Type.String({ minLength: 1, maxLength: 1_000, description: 'One entry' })
  return Type.Array(text, { maxItems: 100, description })
}

export const Title = named(
  'IssueTitle',
  Type.String({ minLength: 1, maxLength: 500, pattern: '\\S', description: 'What it is, in a line' }),
)
export const Description = named('IssueDescription', Type.String({ maxLength: 20_000, description: 'What was found' }))
export const Reasoning = named(
  'IssueReasoning',
  Type.String({ maxLength: 20_000, description: 'Why the detector thinks so' }),
)

export const lists = {
  actions: texts('Actions of the workflow that take part'),
  workflowIds: texts('Workflows it was found in'),
  identities: texts('Identities the workflow acts as'),
  triggerSources: texts('What sets the workflow off'),
  refIds: texts('Branches or commits it was found on'),
  filePaths: texts('Files it was found in'),
  dependencyPaths: texts('How the dependencies come in'),
  directDependencies: texts('Dependencies the workflow names itself'),
  domains: texts('Domains it reaches out to'),
  cwes: texts('Weaknesses, for example CWE-94'),
  owasps: texts('OWASP categories'),
}
export type ListName = keyof typeof lists
export const listNames = Object.keys(lists) as ListName[]

export const Issue = VersionedObject('Issue', {
  id: IdString,
  deploymentId: IdString,
  title: Title,
  description: Description,
  reasoning: Reasoning,
  createdAt: Timestamp,
  lastDetectedAt: Timestamp,
  detectionState: Detection,
  severity: SeverityLevel,
  triageState: State,
  triageReason: Reason,
  triagedAt: OrNull(Timestamp),
  projectIds: Type.Array(IdString, { description: 'Repositories it is about, as far as the caller sees them' }),
  ...lists,
})
export type Issue = Static<typeof Issue>
