import Type, { type Static } from 'typebox'
import { endpoint } from '../../../kernel/contract/endpoint.ts'
import { Count, DeploymentParams, NamedObject, Timestamp } from '../../../kernel/contract/schema.ts'
import { ChoicesBody } from '../contract.ts'

const TrialChange = NamedObject('FirewallTrialChange', {
  name: Type.String({ description: 'Name of the package' }),
  version: Type.String({ description: 'The version that was asked for' }),
  refused: Type.Boolean({ description: 'Whether it would be refused; if not, it is refused as things are' }),
  reason: Type.String({ description: 'Why it is refused, or would be' }),
  clients: { ...Count, description: 'How many clients asked for it: each person with each API token' },
  people: Type.Array(Type.String(), {
    maxItems: 10,
    description: 'Whose clients they were, as far as you may see that; at most ten',
  }),
  lastAskedAt: Timestamp,
})

const FirewallTrial = NamedObject('FirewallTrial', {
  since: Timestamp,
  versions: { ...Count, description: 'Versions that clients asked for since then; at most the latest 5,000' },
  truncated: Type.Boolean({ description: 'Whether clients asked for more than 5,000' }),
  refusedBefore: { ...Count, description: 'Those of them that are refused as things are' },
  refusedAfter: { ...Count, description: 'Those that would be refused' },
  unknownAge: {
    ...Count,
    description:
      'Those that the age gate might hold back: first asked for so lately that they may be too young. They are in neither number',
  },
  changes: Type.Array(TrialChange, { maxItems: 200, description: 'What would be otherwise, the latest first' }),
})
export type FirewallTrial = Static<typeof FirewallTrial>

export const tryFirewallSettings = endpoint({
  id: 'tryFirewallSettings',
  summary: 'What other settings of the firewall would change',
  description:
    'Looks at the versions that clients asked for in the last days: which are refused now, and which would be with these settings. A version is as old at least as the first request for it. Nothing is saved.',
  tag: 'Malware firewall',
  stability: 'experimental',
  security: 'both',
  permission: 'firewall:read',
  method: 'POST',
  path: '/api/firewall/v1/deployments/:deploymentId/settings/trial',
  params: DeploymentParams,
  body: Type.Object({
    settings: ChoicesBody,
    days: Type.Optional(Type.Integer({ minimum: 1, maximum: 365, description: 'How far back; 30 by default' })),
  }),
  response: FirewallTrial,
  faults: ['unprocessable'],
})
