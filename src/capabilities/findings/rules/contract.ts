import Type, { type Static } from 'typebox'
import { endpoint } from '../../../kernel/contract/endpoint.ts'
import { AnyId, NamedObject } from '../../../kernel/contract/schema.ts'

const text = (description: string) => Type.String({ description })

const RuleOfSource = NamedObject('RuleOfSource', {
  source: text('Whose rule it is, for example sarif:semgrep'),
  name: text('What the tool calls it; may be empty'),
  description: text('What it is about, as the tool says; may be empty'),
  help: text('How to mend it, as the tool says; may be empty'),
  helpUri: text('Where to read on; may be empty'),
})
export type RuleOfSource = Static<typeof RuleOfSource>

export const getFindingRule = endpoint({
  id: 'getFindingRule',
  summary: 'Get what is said about a rule',
  description:
    'By every source that has found something by it in repositories that the caller sees. The id is that of findings, encoded as part of an address.',
  tag: 'Findings',
  stability: 'beta',
  security: 'both',
  permission: 'findings:read',
  method: 'GET',
  path: '/api/findings/:deploymentId/rules/:ruleId',
  params: Type.Object({
    deploymentId: AnyId,
    ruleId: Type.String({ minLength: 1, maxLength: 500, description: 'Id of the rule' }),
  }),
  response: Type.Object({
    ruleId: text('Id of the rule'),
    sources: Type.Array(RuleOfSource, { description: 'Ordered by source' }),
  }),
  faults: ['not_found'],
})
