import Type, { type Static } from 'typebox'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import {
  Count,
  DeploymentParams,
  Id,
  NamedObject,
  named,
  OneOf,
  OrNull,
  Timestamp,
} from '../../kernel/contract/schema.ts'
import { Ecosystem, NewClaim } from './contract.ts'

const AskedOf = named(
  'ClaimAskedOf',
  OneOf(
    ['registry', 'nobody', 'unclaimed'],
    'Who is asked for a name: the registry of its claim alone; nobody, so that it is refused; or, without a claim, whoever would be asked for any name',
  ),
)

const ClaimTrialChange = NamedObject('PackageClaimTrialChange', {
  ecosystem: Ecosystem,
  name: Type.String({ description: 'Name of the package' }),
  askedOfBefore: { ...AskedOf, description: 'Who is asked for it as things are' },
  askedOf: { ...AskedOf, description: 'Who would be asked for it' },
  packageManagerConfigId: OrNull(
    Type.Integer({ minimum: 1, description: 'The registry that would be asked alone; null where there is none such' }),
  ),
  seenThere: Type.Boolean({
    description: 'Whether that registry was seen to have it. If not, clients may be told that there is no such package',
  }),
  versions: { ...Count, description: 'How many of its versions were asked for' },
  clients: { ...Count, description: 'How many clients asked for it: each person with each API token' },
  people: Type.Array(Type.String(), {
    maxItems: 10,
    description: 'Whose clients they were, as far as you may see that; at most ten',
  }),
  lastAskedAt: Timestamp,
})

const PackageClaimTrial = NamedObject('PackageClaimTrial', {
  since: Timestamp,
  sentences: Type.Array(Type.String(), { description: 'What was tried, as sentences' }),
  names: { ...Count, description: 'Names that clients asked for since then; at most the latest 5,000' },
  truncated: Type.Boolean({ description: 'Whether clients asked for more' }),
  refusedBefore: { ...Count, description: 'Those of them that are claimed and asked of nobody as things are' },
  refusedAfter: { ...Count, description: 'Those that would be' },
  changes: Type.Array(ClaimTrialChange, {
    maxItems: 200,
    description: 'Names for which somebody else would be asked, the latest first',
  }),
})
export type PackageClaimTrial = Static<typeof PackageClaimTrial>

const ClaimTrialBody = NamedObject('ClaimTrialBody', {
  create: Type.Optional(Type.Array(NewClaim, { maxItems: 1000, description: 'Claims to make' })),
  deleteIds: Type.Optional(Type.Array(Id, { maxItems: 1000, description: 'Claims to delete' })),
  days: Type.Optional(Type.Integer({ minimum: 1, maximum: 365, description: 'How far back; 30 by default' })),
})
export type ClaimTrialBody = Static<typeof ClaimTrialBody>

export const tryPackageClaims = endpoint({
  id: 'tryPackageClaims',
  summary: 'What other claims of package names would change',
  description:
    'Looks at the names that clients asked for in the last days, with these claims made and those deleted: for which of them somebody else would be asked, and whose clients asked for them. What could not be saved is refused as it would be then. No registry is asked, and nothing is saved.',
  tag: 'Package names',
  stability: 'experimental',
  security: 'both',
  permission: 'firewall:read',
  method: 'POST',
  path: '/api/firewall/v1/deployments/:deploymentId/package-claims/trial',
  params: DeploymentParams,
  body: ClaimTrialBody,
  response: PackageClaimTrial,
  faults: ['conflict', 'unprocessable'],
})
