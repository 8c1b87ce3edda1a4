import Type, { type Static } from 'typebox'
import { endpoint } from '../../../kernel/contract/endpoint.ts'
import { NamedObject, named, OneOf, Timestamp } from '../../../kernel/contract/schema.ts'

const path = '/api/auth/sessions'
const common = { tag: 'Sign-in', stability: 'experimental', security: 'jwt', permission: 'authenticated' } as const

const SessionId = named(
  'SessionId',
  Type.String({
    pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
    maxLength: 36,
    description: 'Identifies a session; it opens nothing',
  }),
)

const OwnSession = NamedObject('OwnSession', {
  id: SessionId,
  kind: OneOf(['browser', 'token'], 'Held by a browser as a cookie, or by a program as JSON Web Tokens'),
  current: Type.Boolean({ description: 'The one that asks' }),
  network: Type.String({ description: 'The address it was last opened or refreshed from; of IPv6 the /64' }),
  createdAt: Timestamp,
  lastUsedAt: Type.String({
    format: 'date-time',
    description: 'When it was last used, or refreshed, to a few seconds',
  }),
  expiresAt: Timestamp,
})
export type OwnSession = Static<typeof OwnSession>

export const listOwnSessions = endpoint({
  ...common,
  id: 'listOwnSessions',
  summary: "List one's own sessions",
  description: 'Those that have not ended, the last used first; at most 200.',
  method: 'GET',
  path,
  params: Type.Object({}),
  response: Type.Object({ sessions: Type.Array(OwnSession, { description: 'The last used first' }) }),
  faults: [],
})

export const endOwnSession = endpoint({
  ...common,
  id: 'endOwnSession',
  summary: "End one of one's own sessions",
  description: 'It ends within a second on every process. Answers what it was. Signing out ends the current one.',
  method: 'DELETE',
  path: `${path}/:sessionId`,
  params: Type.Object({ sessionId: SessionId }),
  response: Type.Object({ session: OwnSession }),
  faults: ['not_found', 'cross_site'],
})
