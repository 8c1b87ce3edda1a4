import { createPrivateKey } from 'node:crypto'
import { Fault, type FieldError } from '../../kernel/contract/fault.ts'
import { trimEnd } from '../../kernel/text/trim.ts'
import { originOf, serviceUrlProblem } from '../../outbound/ssrf-guard/service-url.ts'
import type { CodeHostChanges, NewCodeHost } from './contract.ts'
import type { CodeHostFields } from './store.ts'

export function newCodeHost(sent: NewCodeHost): CodeHostFields {
  const { credential, appId = '', installationId = '', ...rest } = sent
  const { postsStatus = true, postsComment = true, postsLineComments = true } = sent
  return checked({ ...rest, appId, installationId, postsStatus, postsComment, postsLineComments }, credential)
}

/** What a code host becomes; what a request leaves out stays. */
export function mergeCodeHost(stored: CodeHostFields, sent: CodeHostChanges): CodeHostFields {
  const { credential, ...changes } = sent
  const merged = checked({ ...stored, ...changes }, credential)
  if (credential !== undefined) return merged
  // Otherwise the stored credential could be pointed at somebody else's server.
  const errors: FieldError[] = []
  if (originOf(merged.apiUrl) !== originOf(stored.apiUrl)) {
    const detail = `the stored credential is for ${originOf(stored.apiUrl)}; send credential again`
    errors.push({ pointer: '/apiUrl', detail })
  }
  if (merged.auth !== stored.auth) errors.push({ pointer: '/auth', detail: 'takes another credential; send it' })
  if (merged.appId !== stored.appId) errors.push({ pointer: '/appId', detail: 'has another key; send it' })
  if (errors.length > 0) throw new Fault('unprocessable', 'Send the credential again. Nothing was changed.', { errors })
  return merged
}

function checked(host: CodeHostFields, credential: string | undefined): CodeHostFields {
  const errors: FieldError[] = []
  const add = (field: string, detail: string | undefined) => {
    if (detail !== undefined) errors.push({ pointer: `/${field}`, detail })
  }
  add('apiUrl', serviceUrlProblem(host.apiUrl))
  const isApp = host.auth === 'app'
  if (isApp && host.kind === 'gitlab') add('auth', 'app is only for GitHub; use a token')
  for (const field of ['appId', 'installationId'] as const) {
    if (isApp && host[field] === '') add(field, 'is required for an app')
    if (!isApp && host[field] !== '') add(field, 'is only for an app')
  }
  if (credential !== undefined) add('credential', isApp ? keyProblem(credential) : tokenProblem(credential))
  if (errors.length > 0) {
    throw new Fault('validation_failed', 'The code host cannot be used like this; errors says why.', { errors })
  }
  return { ...host, apiUrl: trimEnd(host.apiUrl, '/') }
}

function keyProblem(pem: string): string | undefined {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa' ? undefined : 'must be an RSA key, as GitHub makes it'
  } catch {
    return 'must be the private key of the app, as PEM'
  }
}

function tokenProblem(token: string): string | undefined {
  return /^[!-~]+$/.test(token) ? undefined : 'must be a token: visible ASCII characters without spaces'
}
