import { Fault } from '../../kernel/contract/fault.ts'
import { originOf, serviceUrlProblem } from '../../outbound/ssrf-guard/service-url.ts'
import type { CloudsecCredentialChanges } from './contract.ts'

export type CredentialFields = { clientId: string; apiUrl: string; tokenUrl: string }

const urlNames = ['apiUrl', 'tokenUrl'] as const

/** Throws a Fault that points to each address that cannot be used. */
export function requireUsableUrls(sent: CloudsecCredentialChanges): void {
  const errors = urlNames.flatMap((name) => {
    const detail = sent[name] === undefined ? undefined : serviceUrlProblem(sent[name])
    return detail ? [{ pointer: `/${name}`, detail }] : []
  })
  if (errors.length > 0) throw new Fault('validation_failed', 'An address cannot be used; errors says why.', { errors })
}

/** What a credential becomes; what a request leaves out stays. */
export function mergeCredential(stored: CredentialFields, sent: CloudsecCredentialChanges): CredentialFields {
  const merged = {
    clientId: sent.clientId ?? stored.clientId,
    apiUrl: sent.apiUrl ?? stored.apiUrl,
    tokenUrl: sent.tokenUrl ?? stored.tokenUrl,
  }
  if (sent.clientSecret !== undefined) return merged
  // Otherwise the stored secret, or a token that it is worth, could be pointed at somebody else's server.
  const errors = urlNames
    .filter((name) => originOf(merged[name]) !== originOf(stored[name]))
    .map((name) => ({
      pointer: `/${name}`,
      detail: `the stored secret is for ${originOf(stored[name])}; send clientSecret again`,
    }))
  if (errors.length === 0) return merged
  throw new Fault(
    'unprocessable',
    'To use another origin, send the secret again in the same request. Nothing was changed.',
    {
      errors,
    },
  )
}
