import { resourceOf } from './authorization.ts'
import { mcpScopes } from './scopes.ts'

/** RFC 9728 §2. */
export function protectedResource(origin: string) {
  return {
    resource: resourceOf(origin),
    authorization_servers: [origin],
    scopes_supported: [...mcpScopes],
    bearer_methods_supported: ['header'],
    resource_name: 'Gatehouse',
  }
}

/** RFC 8414 §2. */
export function authorizationServer(origin: string) {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/api/auth/oauth/token`,
    registration_endpoint: `${origin}/api/auth/oauth/register`,
    revocation_endpoint: `${origin}/api/auth/oauth/revoke`,
    scopes_supported: [...mcpScopes],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  }
}
