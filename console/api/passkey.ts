import { call } from './call.ts'
import { Problem } from './problem.ts'

/** Whether this browser, at this address, has passkeys: they belong to a host name (WebAuthn §5.1.2), never to an IP address. */
export function hasPasskeys(): boolean {
  const isNamed = !/^(\d+(\.\d+){3}|\[.*\])$/.test(location.hostname)
  return (
    isNamed &&
    isSecureContext &&
    'PublicKeyCredential' in window &&
    'parseRequestOptionsFromJSON' in PublicKeyCredential
  )
}

/** Has the browser make one, and answers what the server takes. */
export async function makePasskey(): Promise<Record<string, unknown>> {
  const { options } = await call('beginPasskey', {})
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  )
  return shown(() => navigator.credentials.create({ publicKey }), 'No passkey was made.')
}

/** Has the browser ask for one of those that the person has. */
export async function showPasskey(): Promise<Record<string, unknown>> {
  const { options } = await call('beginPasskeySignIn', {})
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  )
  return shown(() => navigator.credentials.get({ publicKey }), 'No passkey was shown.')
}

async function shown(ask: () => Promise<Credential | null>, otherwise: string): Promise<Record<string, unknown>> {
  const credential = await ask().catch((error: unknown) => {
    throw declined((error instanceof DOMException && reasons[error.name]) || otherwise)
  })
  if (!(credential instanceof PublicKeyCredential)) throw declined(otherwise)
  return { ...credential.toJSON() }
}

const reasons: Record<string, string> = {
  InvalidStateError: 'This device already has a passkey for your account.',
  SecurityError: 'Passkeys do not work at this address: open Gatehouse at the one in GATEHOUSE_URL.',
}

/** Browsers do not say why: the person may have cancelled, or there may be none. */
function declined(detail: string): Problem {
  return new Problem({ status: -1, code: 'passkey', title: 'No passkey', detail, requestId: '', errors: [] })
}
