import Type, { type Static } from 'typebox'
import { endpoint } from '../../../kernel/contract/endpoint.ts'
import {
  AnyId,
  DeploymentParams,
  Email,
  Id,
  Name,
  NamedObject,
  OneOf,
  OrNull,
  Timestamp,
  VersionedObject,
} from '../../../kernel/contract/schema.ts'
import { Password, Person, RoleName } from '../contract.ts'
import { LinkToken } from './one-time-link.ts'

const tag = 'People'
const path = '/api/people/v1/deployments/:deploymentId/invitations'
const common = { tag, stability: 'stable', security: 'both', permission: 'people:write' } as const
const OneParams = Type.Object({ deploymentId: AnyId, invitationId: Id })

export const Invitation = VersionedObject('Invitation', {
  id: Id,
  email: Email,
  name: Type.String({ description: 'What the inviter calls them; empty where nothing was said' }),
  role: RoleName,
  invitedBy: Type.Integer({ description: 'Id of the person who sent it' }),
  delivery: OneOf(['mail', 'link'] as const, 'mail: Gatehouse sends it; link: the inviter hands it over'),
  mailedAt: OrNull(Timestamp),
  createdAt: Timestamp,
  expiresAt: Timestamp,
})
export type Invitation = Static<typeof Invitation>

const Invited = NamedObject('Invited', {
  invitation: Invitation,
  link: OrNull(
    Type.String({
      description:
        'Shown once, to be handed over to the person; null where Gatehouse mails it to them, and to nobody else',
    }),
  ),
})
export type Invited = Static<typeof Invited>

export const NewPerson = NamedObject('NewPerson', {
  email: Email,
  name: Type.Optional(Name),
  role: Type.Optional(RoleName),
})
export type NewPerson = Static<typeof NewPerson>

export const addPerson = endpoint({
  ...common,
  id: 'addPerson',
  summary: 'Invite a person to a deployment',
  description:
    'Makes an invitation for seven days. Nobody belongs to the deployment before the holder of the link accepts. The answer is the same whether the address has an account or not. With a mail server the link is mailed; without one it is answered, once.',
  method: 'POST',
  path: '/api/people/v1/deployments/:deploymentId/people',
  params: DeploymentParams,
  body: NewPerson,
  response: Invited,
  faults: ['conflict', 'forbidden', 'unprocessable', 'too_many_requests', 'reauthentication_required'],
  answersSecret: true,
  reauthentication: ({ role }: Static<typeof NewPerson>) => role === 'owner' || role === 'admin',
})

export const listInvitations = endpoint({
  ...common,
  id: 'listInvitations',
  summary: 'List the invitations that nobody has accepted yet',
  description: 'Expired ones are listed for 30 days.',
  method: 'GET',
  path,
  params: DeploymentParams,
  response: Type.Object({ invitations: Type.Array(Invitation, { description: 'Ordered by id' }) }),
  faults: [],
})

export const renewInvitation = endpoint({
  ...common,
  id: 'renewInvitation',
  summary: 'Renew an invitation',
  description:
    'Makes a new link for another seven days, which is mailed or answered as the first was. The old link ends. The invitation is then from the caller.',
  method: 'POST',
  path: `${path}/:invitationId/renew`,
  params: OneParams,
  response: Invited,
  faults: ['not_found', 'forbidden', 'precondition_failed', 'too_many_requests', 'reauthentication_required'],
  answersSecret: true,
  reauthentication: 'always',
})

export const revokeInvitation = endpoint({
  ...common,
  id: 'revokeInvitation',
  summary: 'Revoke an invitation',
  description: 'Its link ends at once. Answers what it was.',
  method: 'DELETE',
  path: `${path}/:invitationId`,
  params: OneParams,
  response: Type.Object({ invitation: Invitation }),
  faults: ['not_found', 'forbidden', 'precondition_failed'],
})

const open = { tag, stability: 'stable', security: 'none', permission: 'anyone', method: 'POST' } as const
const Nothing = Type.Object({})

export const showInvitation = endpoint({
  ...open,
  id: 'showInvitation',
  summary: 'Look at an invitation',
  description: 'For the holder of its link. It does not say whether the address has an account.',
  path: '/api/auth/invitations/show',
  params: Nothing,
  body: Type.Object({ token: LinkToken }),
  response: Type.Object({
    deployment: Type.String({ description: 'Name of the deployment' }),
    email: Email,
    name: Type.String({ description: 'What the inviter calls them; empty where nothing was said' }),
    role: RoleName,
    invitedBy: Type.String({ description: 'Name of the person who sent it' }),
    expiresAt: Timestamp,
  }),
  faults: ['not_found', 'too_many_requests'],
})

const Joined = NamedObject('Joined', { deploymentId: Id, person: Person })
export type Joined = Static<typeof Joined>

export const acceptInvitation = endpoint({
  ...open,
  id: 'acceptInvitation',
  summary: 'Accept an invitation with a new account',
  description:
    'For the holder of its link, once. Where the address has an account, nothing of it changes: its owner signs in and accepts with `joinDeployment`.',
  path: '/api/auth/invitations/accept',
  params: Nothing,
  body: Type.Object({ token: LinkToken, name: Type.Optional(Name), password: Password }),
  response: Joined,
  faults: ['not_found', 'conflict', 'too_many_requests'],
})

export const joinDeployment = endpoint({
  id: 'joinDeployment',
  summary: 'Accept an invitation with the account one has',
  description: 'For the holder of its link, signed in with the address that it is for, once.',
  tag,
  stability: 'stable',
  security: 'jwt',
  permission: 'authenticated',
  method: 'POST',
  path: '/api/people/v1/self/invitations/accept',
  params: Nothing,
  body: Type.Object({ token: LinkToken }),
  response: Joined,
  faults: ['not_found', 'conflict', 'forbidden', 'token_revoked', 'too_many_requests'],
})
