import Type, { type Static } from 'typebox'
import { roles } from '../../kernel/access/permission.ts'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import {
  AnyId,
  Count,
  DeploymentParams,
  Email,
  Id,
  Name,
  NamedObject,
  named,
  OneOf,
  OrNull,
  Timestamp,
  VersionedObject,
} from '../../kernel/contract/schema.ts'

const tag = 'People'
const path = '/api/people/v1/deployments/:deploymentId/people'

export const Password = named(
  'Password',
  Type.String({
    minLength: 12,
    maxLength: 200,
    description: 'At least 12 characters; common ones are refused',
  }),
)
export const RoleName = named('Role', OneOf(roles, 'Role in the deployment'))

export const Person = VersionedObject('Person', {
  id: Id,
  email: Email,
  name: Name,
  role: RoleName,
  createdAt: Timestamp,
  lastSignInAt: OrNull(Timestamp),
  suspendedAt: OrNull(
    Type.String({
      format: 'date-time',
      description: 'Since when the directory of the company keeps them out; null: they are in',
    }),
  ),
  secondFactor: OrNull(
    Type.Boolean({ description: 'Whether they have set one up; null to those who may not change people' }),
  ),
})
export type Person = Static<typeof Person>

export const PeopleQuery = Type.Object({
  text: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'In name, e-mail or role, in upper or lower case' }),
  ),
})
export type PeopleQuery = Static<typeof PeopleQuery>

export const listPeople = endpoint({
  id: 'listPeople',
  summary: 'List the people of a deployment',
  description: 'All who have accepted an invitation, ordered by id, with their roles.',
  tag,
  stability: 'stable',
  security: 'both',
  permission: 'people:read',
  method: 'GET',
  path,
  params: DeploymentParams,
  query: PeopleQuery,
  response: Type.Object({ people: Type.Array(Person, { description: 'Ordered by id' }), total: Count }),
  faults: [],
})

const FormerPerson = NamedObject('FormerPerson', {
  id: Id,
  email: Type.String({ maxLength: 254, description: 'Their address when they left' }),
  name: Type.String({ maxLength: 200, description: 'Their name when they left' }),
  leftAt: Timestamp,
  isBack: Type.Boolean({ description: 'Whether another account of that address belongs to it now' }),
})
export type FormerPerson = Static<typeof FormerPerson>

export const listFormerPeople = endpoint({
  id: 'listFormerPeople',
  summary: 'List who has left a deployment',
  description:
    'People and service accounts that belonged to it, as they were called when they left: what they decided keeps their names. Who came back with the same account is not listed.',
  tag,
  stability: 'experimental',
  security: 'both',
  permission: 'people:read',
  method: 'GET',
  path: '/api/people/v1/deployments/:deploymentId/former-people',
  params: DeploymentParams,
  response: Type.Object({ people: Type.Array(FormerPerson, { description: 'Ordered by id' }) }),
  faults: [],
})

export const changePerson = endpoint({
  id: 'changePerson',
  summary: "Change a person's role",
  description: 'Making somebody an owner takes a signed-in person, not an API token.',
  tag,
  stability: 'stable',
  security: 'both',
  permission: 'people:write',
  method: 'PATCH',
  path: `${path}/:personId`,
  params: Type.Object({ deploymentId: AnyId, personId: Id }),
  body: Type.Object({ role: RoleName }),
  response: Type.Object({ person: Person }),
  faults: ['not_found', 'conflict', 'forbidden', 'precondition_failed', 'reauthentication_required'],
  reauthentication: 'always',
})

export const removePerson = endpoint({
  id: 'removePerson',
  summary: 'Remove a person from a deployment',
  description:
    'Their tokens in the deployment, their places in its teams, what is assigned to them, their views that are not shared and the invitations they sent go with them. Automations, memories, service accounts and shared views stay. The deployment keeps their name and address beside what they did.',
  tag,
  stability: 'stable',
  security: 'both',
  permission: 'people:write',
  method: 'DELETE',
  path: `${path}/:personId`,
  params: Type.Object({ deploymentId: AnyId, personId: Id }),
  response: Type.Object({ person: Person }),
  faults: ['not_found', 'conflict', 'forbidden'],
})

export const changePassword = endpoint({
  id: 'changePassword',
  summary: "Change one's own password",
  description: 'Ends all other sessions of the person. Wrong present passwords are limited like failed sign-ins.',
  tag,
  stability: 'stable',
  security: 'jwt',
  permission: 'authenticated',
  method: 'POST',
  path: '/api/people/v1/self/password',
  params: Type.Object({}),
  body: Type.Object({
    current: Type.String({ minLength: 1, maxLength: 200, description: 'The password now' }),
    next: Password,
  }),
  response: Type.Object({ changed: Type.Boolean({ description: 'Always true' }) }),
  faults: ['forbidden', 'too_many_requests'],
})
