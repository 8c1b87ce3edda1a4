import Type, { type Static } from 'typebox'
import { IdString, NamedObject, Timestamp } from '../../../kernel/contract/schema.ts'
import { Description, Detection, lists, Reasoning, SeverityLevel, Title } from '../issue.ts'

const optionalLists = Object.fromEntries(
  Object.entries(lists).map(([name, schema]) => [name, Type.Optional(schema)]),
) as { [Name in keyof typeof lists]: ReturnType<typeof Type.Optional<(typeof lists)[Name]>> }

export const IssueReport = NamedObject('IssueReport', {
  externalKey: Type.String({
    minLength: 1,
    maxLength: 300,
    description: 'What the sender knows the issue by: the same key is the same issue',
  }),
  title: Title,
  severity: SeverityLevel,
  description: Type.Optional(Description),
  reasoning: Type.Optional(Reasoning),
  detectionState: Type.Optional(Detection),
  observedAt: Type.Optional({ ...Timestamp, description: 'When the detector ran; now if left out' }),
  projectIds: Type.Optional(
    Type.Array(IdString, {
      maxItems: 100,
      description: 'Repositories it is about. None: it is about the deployment, and everybody in it sees it',
    }),
  ),
  ...optionalLists,
})
export type IssueReport = Static<typeof IssueReport>
