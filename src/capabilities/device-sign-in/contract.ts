import Type, { type Static } from 'typebox'
import { onlyFetchesPackages } from '../../kernel/access/package-scope.ts'
import { permissionNames } from '../../kernel/access/permission.ts'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import { DeploymentParams, IdString, NamedObject, named, OneOf, Timestamp } from '../../kernel/contract/schema.ts'

const tag = 'Device sign-in'
const open = { tag, stability: 'beta', security: 'none', permission: 'anyone', method: 'POST' } as const
export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

const Permission = named('Permission', OneOf(permissionNames, 'A permission'))
const ClientId = named(
  'DeviceClientId',
  Type.String({
    minLength: 1,
    maxLength: 60,
    pattern: '^[A-Za-z0-9][A-Za-z0-9 ._/-]*$',
    description: 'What the program calls itself; shown to the person, and not checked',
  }),
)
const UserCode = named(
  'DeviceUserCode',
  Type.String({ minLength: 1, maxLength: 60, description: 'The code that the program shows' }),
)
const Days = named(
  'DeviceTokenDays',
  Type.Integer({ minimum: 1, maximum: 365, description: 'How long the token lives, in days' }),
)

export const startDeviceSignIn = endpoint({
  ...open,
  id: 'startDeviceSignIn',
  summary: 'Ask to be signed in',
  description:
    'RFC 8628 §3.1, as a form or as JSON: for programs without a browser. A person who is signed in types the code at `verification_uri` and says yes or no. Twenty a minute from one network.',
  path: '/api/auth/device',
  params: Type.Object({}),
  takesForm: true,
  body: Type.Object({
    client_id: ClientId,
    scope: Type.String({ minLength: 1, maxLength: 2000, description: 'Permissions, with spaces between them' }),
    deployment_id: IdString,
    host_name: Type.Optional(
      Type.String({ maxLength: 100, description: 'The machine that the program runs on; shown, and not checked' }),
    ),
    lifetime_days: Type.Optional(
      Type.String({
        pattern: '^[0-9]{1,3}$',
        'x-digits': true,
        description: 'For how many days; 30 unless it says so',
      }),
    ),
  }),
  response: Type.Object({
    device_code: Type.String({ description: 'What the program polls with; nobody else sees it' }),
    user_code: Type.String({ description: 'What the person types' }),
    verification_uri: Type.String({ description: 'Where they type it. It never has the code in it' }),
    expires_in: Type.Integer({ description: 'Seconds; 600' }),
    interval: Type.Integer({ description: 'Seconds to wait between two polls; 5' }),
  }),
  faults: ['not_found', 'unprocessable', 'too_many_requests'],
  answersSecret: true,
})
export type DeviceRequest = Static<typeof startDeviceSignIn.body & {}>

export const pollDeviceSignIn = endpoint({
  ...open,
  id: 'pollDeviceSignIn',
  summary: 'Get the token that was asked for',
  description:
    'RFC 8628 §3.4. The answer comes once. Until then it is 400 with `authorization_pending`, `slow_down`, `access_denied` or `expired_token`, also as `error`.',
  path: '/api/auth/device/token',
  params: Type.Object({}),
  takesForm: true,
  body: Type.Object({
    grant_type: OneOf([deviceGrant], 'Always this'),
    device_code: Type.String({ minLength: 1, maxLength: 100, description: 'As it was given' }),
    client_id: ClientId,
  }),
  response: Type.Object({
    access_token: Type.String({ description: 'The API token; shown once' }),
    token_type: OneOf(['Bearer'], 'How it is sent'),
    expires_in: Type.Integer({ description: 'Seconds' }),
    scope: Type.String({ description: 'Its permissions, with spaces between them' }),
    deployment_id: IdString,
  }),
  faults: ['authorization_pending', 'slow_down', 'access_denied', 'expired_token'],
  answersSecret: true,
})

const DeviceSignIn = NamedObject('DeviceSignIn', {
  kind: OneOf(['code', 'link'], 'Whether the code was typed, or came in an address; then it is for packages alone'),
  client: Type.String({ description: 'What the program calls itself' }),
  hostName: Type.String({ description: 'The machine that it says it runs on; may be empty' }),
  address: Type.String({ description: 'The address that it asked from, as we saw it' }),
  sameNetwork: Type.Boolean({ description: 'Whether that is the network that this request comes from' }),
  scopes: Type.Array(Permission, { description: 'What it wants to do' }),
  missing: Type.Array(Permission, { description: 'Of these, what you may not do yourself and cannot give' }),
  days: Days,
  askedAt: Timestamp,
  expiresAt: Timestamp,
})
export type DeviceSignIn = Static<typeof DeviceSignIn>

const path = '/api/tokens/v1/deployments/:deploymentId/device-sign-ins'
// By a signed-in person in front of a screen: a token that makes tokens for others would be worth stealing.
const byPerson = {
  tag,
  stability: 'beta',
  security: 'jwt',
  permission: 'tokens:write',
  method: 'POST',
  params: DeploymentParams,
} as const

export const findDeviceSignIn = endpoint({
  ...byPerson,
  id: 'findDeviceSignIn',
  summary: 'See what asks to be signed in',
  description: 'By its code. Ten wrong codes in ten minutes, and no more are taken from that person.',
  path: `${path}/find`,
  body: Type.Object({ userCode: UserCode }),
  response: Type.Object({ signIn: DeviceSignIn }),
  faults: ['not_found', 'too_many_requests'],
})

const Approval = NamedObject('DeviceApproval', {
  userCode: UserCode,
  scopes: Type.Array(Permission, {
    minItems: 1,
    maxItems: 100,
    uniqueItems: true,
    description: 'What it may do, of what it wants',
  }),
  expiresInDays: Days,
  otherNetwork: Type.Optional(
    Type.Boolean({ description: 'True where the person has confirmed that it asks from another network than theirs' }),
  ),
})
export type Approval = Static<typeof Approval>

export const approveDeviceSignIn = endpoint({
  ...byPerson,
  id: 'approveDeviceSignIn',
  summary: 'Sign a program in',
  description: 'It gets a personal token of whoever approves, with these permissions and this lifetime.',
  path: `${path}/approve`,
  body: Approval,
  response: Type.Object({ approved: Type.Boolean({ description: 'Always true' }) }),
  faults: ['not_found', 'conflict', 'forbidden', 'unprocessable', 'too_many_requests', 'reauthentication_required'],
  reauthentication: ({ scopes }: Approval) => !onlyFetchesPackages(scopes),
})

export const denyDeviceSignIn = endpoint({
  ...byPerson,
  id: 'denyDeviceSignIn',
  summary: 'Do not sign a program in',
  description: 'The program learns that, and its code does not work again.',
  path: `${path}/deny`,
  body: Type.Object({ userCode: UserCode }),
  response: Type.Object({ denied: Type.Boolean({ description: 'Always true' }) }),
  faults: ['not_found', 'too_many_requests'],
})
