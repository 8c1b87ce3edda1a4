import Type, { type Static } from 'typebox'
import { endpoint } from '../../../kernel/contract/endpoint.ts'
import { pageFields, pageQuery } from '../../../kernel/contract/pagination.ts'
import {
  AnyId,
  Count,
  DeploymentParams,
  Id,
  NamedObject,
  OneOf,
  OrNull,
  Timestamp,
} from '../../../kernel/contract/schema.ts'
import { Ecosystem, listFilter, OverrideReason, PackageName, PersonName } from '../contract.ts'

const path = '/api/firewall/v1/deployments/:deploymentId'
const common = { tag: 'Malware firewall', stability: 'experimental', security: 'both' } as const

const HeldAdvisory = NamedObject('HeldAdvisory', {
  id: Id,
  advisoryId: Type.String({ description: 'The advisory' }),
  ecosystem: Ecosystem,
  name: PackageName,
  repositoryCount: Count,
  versions: Type.Array(Type.String(), {
    description: 'The versions that are held while it waits; it blocks all others',
  }),
  state: OneOf(['held', 'confirmed', 'released'], 'Waits for a decision; blocks; does not block'),
  reason: Type.String({ description: 'Why it was decided so; empty while it waits' }),
  decidedBy: Type.Integer({ minimum: 0, description: 'Id of the person who decided; 0 while it waits' }),
  decidedByName: PersonName,
  createdAt: Timestamp,
  decidedAt: OrNull(Timestamp),
})
export type HeldAdvisory = Static<typeof HeldAdvisory>

export const listHeldAdvisories = endpoint({
  ...common,
  id: 'listHeldAdvisories',
  summary: 'List advisories that a person has to decide about',
  description:
    'An advisory that names every version of a package is held for the versions that at least five repositories of the deployment have had since before it was published, and for a week at least. New installs of those are refused too unless the settings say otherwise; all other versions are blocked.',
  permission: 'firewall:read',
  method: 'GET',
  path: `${path}/held-advisories`,
  params: DeploymentParams,
  query: Type.Object({ ...pageQuery, ...listFilter, state: Type.Optional(HeldAdvisory.properties.state) }),
  response: Type.Object({ heldAdvisories: Type.Array(HeldAdvisory, { description: 'Ordered by id' }), ...pageFields }),
  faults: [],
})

const Decision = NamedObject('HeldAdvisoryDecision', {
  decision: OneOf(['confirm', 'release'], 'Confirm: it blocks from now on. Release: it does not'),
  reason: OverrideReason,
})
export type Decision = Static<typeof Decision>

export const decideHeldAdvisory = endpoint({
  ...common,
  id: 'decideHeldAdvisory',
  summary: 'Confirm or release a held advisory',
  description: 'May be decided again later.',
  permission: 'firewall:write',
  method: 'POST',
  path: `${path}/held-advisories/:heldAdvisoryId/decision`,
  params: Type.Object({ deploymentId: AnyId, heldAdvisoryId: Id }),
  body: Decision,
  response: Type.Object({ heldAdvisory: HeldAdvisory }),
  faults: ['not_found'],
})
