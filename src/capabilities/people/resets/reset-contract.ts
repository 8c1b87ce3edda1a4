import Type, { type Static } from 'typebox'
import { endpoint } from '../../../kernel/contract/endpoint.ts'
import { AnyId, Email, Id, NamedObject, Timestamp } from '../../../kernel/contract/schema.ts'
import { Password } from '../contract.ts'
import { LinkToken } from '../invitations/one-time-link.ts'

const open = {
  tag: 'Sign-in',
  stability: 'stable',
  security: 'none',
  permission: 'anyone',
  method: 'POST',
  params: Type.Object({}),
} as const

export const requestPasswordReset = endpoint({
  ...open,
  id: 'requestPasswordReset',
  summary: 'Ask for a link that sets a new password',
  description:
    'Mailed to the address if it has an account; the answer is the same if it has none. The link works once, for an hour.',
  path: '/api/auth/password-reset/request',
  body: Type.Object({ email: Email }),
  response: Type.Object({ requested: Type.Boolean({ description: 'Always true' }) }),
  faults: ['not_configured', 'too_many_requests'],
})

export const resetPassword = endpoint({
  ...open,
  id: 'resetPassword',
  summary: 'Set a new password with a link',
  description: 'For the holder of the link, once. Ends all sessions of the person.',
  path: '/api/auth/password-reset',
  body: Type.Object({ token: LinkToken, password: Password }),
  response: Type.Object({ changed: Type.Boolean({ description: 'Always true' }) }),
  faults: ['not_found', 'too_many_requests'],
})

export const ResetLink = NamedObject('ResetLink', {
  link: Type.String({ description: 'Shown once, to be handed over to the person' }),
  expiresAt: Timestamp,
})
export type ResetLink = Static<typeof ResetLink>

export const createResetLink = endpoint({
  id: 'createResetLink',
  summary: "Make a link that sets a person's new password",
  description:
    'For owners, signed in, and only for accounts that belong to this deployment alone and are not operators. It works once, for an hour, and only while that is so.',
  tag: 'People',
  stability: 'stable',
  security: 'jwt',
  permission: 'people:write',
  method: 'POST',
  path: '/api/people/v1/deployments/:deploymentId/people/:personId/reset-link',
  params: Type.Object({ deploymentId: AnyId, personId: Id }),
  response: ResetLink,
  faults: ['not_found', 'forbidden', 'reauthentication_required'],
  answersSecret: true,
  reauthentication: 'always',
})
