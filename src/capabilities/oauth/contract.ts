import Type, { type Static } from 'typebox'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import {
  DeploymentParams,
  Id,
  Name,
  NamedObject,
  named,
  OneOf,
  OrNull,
  Timestamp,
} from '../../kernel/contract/schema.ts'
import { oauth as protocol } from './oauth-fault.ts'
import { mcpScopes } from './scopes.ts'

const tag = 'Connected programs'
const common = { tag, stability: 'beta' } as const
const open = { ...common, security: 'none', permission: 'anyone', params: Type.Object({}) } as const
const lenient = { additionalProperties: true }

const Scope = named('OAuthScope', OneOf(mcpScopes, 'A permission that programs can be given'))
const address = (description: string) => Type.String({ description })
const ClientId = named(
  'OAuthClientId',
  Type.String({ minLength: 1, maxLength: 2_000, description: 'The id that the program registered under' }),
)
const uri = (description: string) => Type.String({ minLength: 1, maxLength: 500, description })

const ProtectedResource = NamedObject('OAuthProtectedResource', {
  resource: address('The address of the Model Context Protocol, which tokens are for'),
  authorization_servers: Type.Array(Type.String(), { description: 'Who gives tokens for it: this server' }),
  scopes_supported: Type.Array(Scope, { description: 'What tokens can allow' }),
  bearer_methods_supported: Type.Array(Type.String(), { description: 'Where a token is sent: in the header' }),
  resource_name: Type.String({ description: 'What it is called' }),
})

export const getProtectedResource = endpoint({
  ...open,
  id: 'getProtectedResource',
  summary: 'Who gives tokens for the Model Context Protocol',
  description: 'RFC 9728. Clients find it by the challenge that `/mcp` answers with.',
  method: 'GET',
  path: '/.well-known/oauth-protected-resource/mcp',
  response: ProtectedResource,
  faults: [],
})

export const getAuthorizationServer = endpoint({
  ...open,
  id: 'getAuthorizationServer',
  summary: 'How programs get tokens for the Model Context Protocol',
  description: 'RFC 8414: the authorization code with PKCE, for programs that register themselves.',
  method: 'GET',
  path: '/.well-known/oauth-authorization-server',
  response: NamedObject('OAuthAuthorizationServer', {
    issuer: address('This server'),
    authorization_endpoint: address('The page where a person decides'),
    token_endpoint: address('Where codes and refresh tokens become tokens'),
    registration_endpoint: address('Where programs register'),
    revocation_endpoint: address('Where programs end what they were given'),
    scopes_supported: Type.Array(Scope, { description: 'What tokens can allow' }),
    response_types_supported: Type.Array(Type.String(), { description: 'Codes only' }),
    response_modes_supported: Type.Array(Type.String(), { description: 'In the query' }),
    grant_types_supported: Type.Array(Type.String(), { description: 'Codes and refresh tokens' }),
    token_endpoint_auth_methods_supported: Type.Array(Type.String(), { description: 'Programs have no secret' }),
    revocation_endpoint_auth_methods_supported: Type.Array(Type.String(), { description: 'Programs have no secret' }),
    code_challenge_methods_supported: Type.Array(Type.String(), { description: 'S256 only (RFC 7636)' }),
    authorization_response_iss_parameter_supported: Type.Boolean({
      description: 'Answers name this server (RFC 9207)',
    }),
  }),
  faults: [],
})

export const registerProgram = endpoint({
  ...open,
  protocol,
  id: 'registerProgram',
  summary: 'Register a program',
  description:
    'RFC 7591. Open to every program; what it may do, a person decides later. Nothing is stored: the id says what was registered. Thirty a minute from one network.',
  method: 'POST',
  path: '/api/auth/oauth/register',
  body: NamedObject(
    'OAuthRegistration',
    {
      redirect_uris: Type.Array(uri('Where codes are sent'), {
        minItems: 1,
        maxItems: 10,
        description: 'https, http on the same computer, or the scheme of an app; together at most 1,000 characters',
      }),
      client_name: Type.Optional(
        Type.String({ maxLength: 100, description: 'What the program calls itself; shown, and not checked' }),
      ),
    },
    lenient,
  ),
  response: NamedObject('OAuthClient', {
    client_id: ClientId,
    client_id_issued_at: Type.Integer({ description: 'Seconds since 1970' }),
    client_name: Type.String({ description: 'As it was given' }),
    redirect_uris: Type.Array(Type.String(), { description: 'As they were given' }),
    grant_types: Type.Array(Type.String(), { description: 'Codes and refresh tokens' }),
    response_types: Type.Array(Type.String(), { description: 'Codes' }),
    token_endpoint_auth_method: OneOf(['none'], 'It has no secret'),
  }),
  faults: ['unprocessable', 'too_many_requests'],
})

const optional = (description: string) => Type.Optional(Type.String({ maxLength: 2_000, description }))

export const getProgramToken = endpoint({
  ...open,
  protocol,
  id: 'getProgramToken',
  summary: 'Get a token for a code or a refresh token',
  description:
    'RFC 6749 §4.1.3 and §6. The token works for 15 minutes at `/mcp` and nowhere else. A code works once within a minute; a refresh token works once. Using either again ends what was given.',
  method: 'POST',
  path: '/api/auth/oauth/token',
  takesForm: true,
  body: NamedObject(
    'OAuthTokenRequest',
    {
      grant_type: Type.String({ maxLength: 200, description: '`authorization_code` or `refresh_token`' }),
      client_id: ClientId,
      code: optional('The code that came to the redirect URI'),
      redirect_uri: optional('The one that the code came to'),
      code_verifier: optional('What the challenge was made of'),
      refresh_token: optional('The last that was given'),
      resource: optional('The address of the Model Context Protocol'),
    },
    lenient,
  ),
  response: NamedObject('OAuthToken', {
    access_token: Type.String({ description: 'The token' }),
    token_type: OneOf(['Bearer'], 'How it is sent'),
    expires_in: Type.Integer({ description: 'Seconds' }),
    refresh_token: Type.String({ description: 'For the next token; it works once' }),
    scope: Type.String({ description: 'What it may do, with spaces between' }),
  }),
  faults: ['unprocessable', 'too_many_requests'],
  answersSecret: true,
})
export type TokenRequest = Static<typeof getProgramToken.body & {}>

export const endProgramToken = endpoint({
  ...open,
  protocol,
  id: 'endProgramToken',
  summary: 'End what a program was given',
  description: 'RFC 7009, by its token or its refresh token. The answer is the same for tokens that never were.',
  method: 'POST',
  path: '/api/auth/oauth/revoke',
  takesForm: true,
  body: NamedObject(
    'OAuthRevocation',
    { token: Type.String({ minLength: 1, maxLength: 2_000, description: 'The token or the refresh token' }) },
    lenient,
  ),
  response: Type.Object({}),
  faults: ['too_many_requests'],
})

const AuthorizationRequest = NamedObject('OAuthRequest', {
  clientId: ClientId,
  redirectUri: uri('Where the code is to be sent'),
  responseType: Type.String({ maxLength: 100, description: 'Always `code`' }),
  codeChallenge: Type.String({ maxLength: 200, description: 'SHA-256 of what the program will show (RFC 7636)' }),
  codeChallengeMethod: Type.String({ maxLength: 20, description: 'Always `S256`' }),
  scope: Type.String({ maxLength: 2_000, description: 'What it wants to do, with spaces between; empty: everything' }),
  resource: Type.String({ maxLength: 500, description: 'What the token is to be for; empty: `/mcp` of this server' }),
  state: Type.String({ maxLength: 2_000, description: 'What the program wants to get back' }),
})
export type AuthorizationRequest = Static<typeof AuthorizationRequest>

export const showProgramRequest = endpoint({
  ...common,
  id: 'showProgramRequest',
  summary: 'See which program asks to be connected',
  description: 'What stands in the address that a program opened. Nothing is decided yet.',
  security: 'jwt',
  permission: 'authenticated',
  method: 'POST',
  path: '/api/auth/oauth-requests',
  params: Type.Object({}),
  body: Type.Object({ request: AuthorizationRequest }),
  response: Type.Object({
    name: Type.String({ description: 'What the program calls itself; nobody has checked it' }),
    goesTo: OneOf(['computer', 'app', 'site'], 'Who gets the code: a program on the same computer, an app, or a site'),
    host: Type.String({ description: 'The host of the site, or the scheme of the app' }),
    scopes: Type.Array(Scope, { description: 'What it wants to do' }),
    problem: OrNull(Type.String({ description: 'Why it cannot be connected' })),
    backTo: address('Where the program is told that it was not connected'),
  }),
  faults: ['not_found', 'unprocessable'],
})

const path = '/api/tokens/v1/deployments/:deploymentId/connected-programs'

const Connection = NamedObject('OAuthConnection', {
  request: AuthorizationRequest,
  scopes: Type.Array(Scope, {
    minItems: 1,
    maxItems: mcpScopes.length,
    uniqueItems: true,
    description: 'What it may do, of what it wants',
  }),
  expiresInDays: Type.Integer({ minimum: 1, maximum: 365, description: 'For how many days' }),
})
export type Connection = Static<typeof Connection>

export const connectProgram = endpoint({
  ...common,
  id: 'connectProgram',
  summary: 'Connect a program',
  description: 'It gets a token of whoever connects it, for this deployment, with these permissions and for so long.',
  // By a signed-in person in front of a screen: a token that connects programs would be worth stealing.
  security: 'jwt',
  permission: 'tokens:write',
  method: 'POST',
  path,
  params: DeploymentParams,
  body: Connection,
  response: Type.Object({ redirectTo: address('Where the browser goes on, with the code') }),
  faults: ['not_found', 'forbidden', 'unprocessable', 'reauthentication_required'],
  answersSecret: true,
  reauthentication: 'always',
})

const ConnectedProgram = NamedObject('ConnectedProgram', {
  tokenId: Id,
  personId: Type.Integer({ description: 'Who connected it' }),
  name: Name,
  host: Type.String({ description: 'Where it was sent its code: the host of a site, or the scheme of an app' }),
  scopes: Type.Array(Scope, { description: 'What it may do' }),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  lastUsedAt: OrNull(Timestamp),
})
export type ConnectedProgram = Static<typeof ConnectedProgram>

export const listConnectedPrograms = endpoint({
  ...common,
  id: 'listConnectedPrograms',
  summary: 'List connected programs',
  description:
    "One's own; owners and admins see all of the deployment, at most the newest 1,000. Revoking its token ends one.",
  security: 'both',
  permission: 'tokens:read',
  method: 'GET',
  path,
  params: DeploymentParams,
  response: Type.Object({ programs: Type.Array(ConnectedProgram, { description: 'Newest first' }) }),
  faults: [],
})
