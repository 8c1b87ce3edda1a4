/**
 * Every way a request can fail, in one table: its HTTP status, its title, and what it means to the caller.
 * docs/errors.md repeats it for readers; a test holds the two together.
 */
export const faults = {
  malformed_request: {
    status: 400,
    title: 'The request cannot be read',
    meaning: 'Broken JSON, wrong encoding, or a header that makes no sense.',
  },
  validation_failed: {
    status: 400,
    title: 'The request does not fit the contract',
    meaning: 'Unknown or missing fields, wrong types or values. `errors` points to each of them.',
  },
  id_mismatch: {
    status: 400,
    title: 'An id in the body differs from the one in the path',
    meaning: 'The ids must be equal; nothing was changed.',
  },
  authorization_pending: {
    status: 400,
    title: 'Nobody has said yes or no yet',
    meaning: 'Device sign-in (RFC 8628): poll again after the interval. Also as `error`.',
  },
  slow_down: {
    status: 400,
    title: 'Polled too often',
    meaning: 'Device sign-in (RFC 8628): wait five seconds longer between two polls. Also as `error`.',
  },
  access_denied: {
    status: 400,
    title: 'The person said no',
    meaning: 'Device sign-in (RFC 8628): the program is not signed in. Also as `error`.',
  },
  expired_token: {
    status: 400,
    title: 'The sign-in has ended',
    meaning:
      'Device sign-in (RFC 8628): the code was used, or is older than ten minutes. Begin again. Also as `error`.',
  },
  unauthenticated: {
    status: 401,
    title: 'Credentials are missing or not valid',
    meaning: 'Send `Authorization: Bearer <token>`. The detail says what is wrong with the one sent.',
  },
  token_expired: { status: 401, title: 'The token has expired', meaning: 'Make a new token, or refresh the session.' },
  token_revoked: {
    status: 401,
    title: 'The token was revoked',
    meaning: 'Somebody revoked it, signed out, or its owner left. Make a new one.',
  },
  second_factor_required: {
    status: 401,
    title: 'A second factor is needed',
    meaning:
      'The password is right, and the account has a second factor. `errors` lists the ways to go on: send the request again with `code`, or sign in with a passkey.',
  },
  second_factor_setup_required: {
    status: 403,
    title: 'A second factor has to be set up first',
    meaning:
      'A deployment or the server requires one of this person. Until it is set up with `/api/auth/factors`, or on the profile page, nothing else can be done.',
  },
  web_api_disabled: {
    status: 403,
    title: 'The token has no Web API access',
    meaning: 'Make a token with `webApi: true`.',
  },
  wrong_credential_kind: {
    status: 403,
    title: 'This endpoint takes another kind of credential',
    meaning: 'Some endpoints take only an API token, some only the JSON Web Token of a signed-in user.',
  },
  forbidden: {
    status: 403,
    title: 'Not permitted',
    meaning: 'The caller may see this, but its role or the scopes of its token do not allow the operation.',
  },
  cross_site: {
    status: 403,
    title: 'The request comes from another site',
    meaning:
      'A browser with a session may change things only from our own pages. Programs send an API token or a JSON Web Token instead.',
  },
  reauthentication_required: {
    status: 403,
    title: 'The password is needed again',
    meaning:
      'The operation is dangerous, and the password was typed more than five minutes ago. Send it to `/api/auth/session/reauthenticate` and repeat the request.',
  },
  package_refused: {
    status: 403,
    title: 'The malware firewall refuses this package',
    meaning: 'The detail says which version and why. Whoever looks after the deployment can make an exception.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    meaning: 'It does not exist, or the caller may not know that it does.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    meaning: 'The path exists with other methods; `Allow` lists them.',
  },
  request_timeout: { status: 408, title: 'The request took too long to arrive', meaning: 'Send the request faster.' },
  conflict: {
    status: 409,
    title: 'It conflicts with what exists',
    meaning: 'For example a name that is already taken. The detail names it.',
  },
  not_configured: {
    status: 409,
    title: 'A setting is missing',
    meaning: 'The operator has to configure this first. The detail names the settings.',
  },
  precondition_failed: {
    status: 412,
    title: 'It has changed since you read it',
    meaning: 'The `If-Match` tag is no longer current. Read it again, then decide.',
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    meaning: 'JSON bodies may be up to 1 MiB, uploads up to 256 MiB.',
  },
  uri_too_long: {
    status: 414,
    title: 'The address is too long',
    meaning: 'Path parameters may be up to 500 characters long.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'This content type is not accepted',
    meaning: 'Send JSON as `application/json`; uploads as the reference says.',
  },
  unprocessable: {
    status: 422,
    title: 'Well-formed, but impossible',
    meaning: 'The request fits the contract but not what exists. The detail or `errors` says why.',
  },
  unknown_repository: {
    status: 422,
    title: 'A repository is not known',
    meaning: 'The detail names the ones that do not exist or that the caller may not see.',
  },
  unknown_person: {
    status: 422,
    title: 'A user is not known',
    meaning: 'The detail names the ones that are not members of the deployment.',
  },
  idempotency_mismatch: {
    status: 422,
    title: 'The idempotency key was used for another request',
    meaning: 'Same `Idempotency-Key`, other path or body. Use a new key.',
  },
  too_many_requests: { status: 429, title: 'Too many requests', meaning: 'Wait for the seconds in `Retry-After`.' },
  internal: {
    status: 500,
    title: 'Something went wrong on our side',
    meaning: 'A bug. The log has the details under the request id.',
  },
  credential_unreadable: {
    status: 500,
    title: 'A stored credential cannot be opened',
    meaning:
      'Something other than Gatehouse changed or moved it in the database, so it was not used. The detail names it. Enter it again; `gatehouse doctor` lists all of them.',
  },
  bad_upstream: {
    status: 502,
    title: 'A package registry did not answer as it should',
    meaning:
      'A package registry could not be reached, refused us, or sent something other than what it had announced. Nothing of it was kept.',
  },
  unavailable: {
    status: 503,
    title: 'Temporarily unavailable',
    meaning:
      'The database, the process or a service outside is not ready. Try again after the seconds in `Retry-After`.',
  },
  timeout: {
    status: 503,
    title: 'The operation took too long',
    meaning: 'It was stopped after 30 seconds; what it had not finished is unchanged. Narrow it down or try again.',
  },
  insufficient_storage: {
    status: 507,
    title: 'A disk of the server is nearly full',
    meaning:
      'Nothing was changed. Reading, and verdicts on packages, go on. Whoever runs the server has to make room; the detail names the disk.',
  },
} as const satisfies Record<string, { status: number; title: string; meaning: string }>

export type FaultCode = keyof typeof faults

/** One thing wrong with a request: where (a JSON pointer, prefixed with the part of the request) and what. */
export type FieldError = { pointer: string; detail: string }

export type FaultOptions = { cause?: unknown; errors?: FieldError[]; retryAfterSeconds?: number; allow?: string[] }

/** A failure that the caller may know about. The message is for them; the cause is for the log. Anything else is a bug. */
export class Fault extends Error {
  readonly code: FaultCode
  readonly errors: FieldError[]
  readonly retryAfterSeconds: number | undefined
  readonly allow: string[]

  constructor(code: FaultCode, message: string, options: FaultOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'Fault'
    this.code = code
    this.errors = options.errors ?? []
    this.retryAfterSeconds = options.retryAfterSeconds
    this.allow = options.allow ?? []
  }
}
