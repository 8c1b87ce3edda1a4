import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { Fault } from '../../../kernel/contract/fault.ts'

const longestField = 100_000

/** What `PublicKeyCredential.toJSON()` gives in a browser; what is not known is left out. */
export function readRegistration(given: Record<string, unknown>): RegistrationResponseJSON {
  const response = objectIn(given, 'response')
  const transports = Array.isArray(response.transports) ? response.transports : []
  return {
    ...named(given),
    response: {
      clientDataJSON: textIn(response, 'clientDataJSON'),
      attestationObject: textIn(response, 'attestationObject'),
      transports: transports.filter((each) => typeof each === 'string' && /^[a-z-]{1,50}$/.test(each)).slice(0, 10),
    },
  }
}

export function readAuthentication(given: Record<string, unknown>): AuthenticationResponseJSON {
  const response = objectIn(given, 'response')
  return {
    ...named(given),
    response: {
      clientDataJSON: textIn(response, 'clientDataJSON'),
      authenticatorData: textIn(response, 'authenticatorData'),
      signature: textIn(response, 'signature'),
      ...(typeof response.userHandle === 'string' && { userHandle: response.userHandle.slice(0, 200) }),
    },
  }
}

/** The challenge that it says it answers. */
export function challengeIn({ response }: { response: { clientDataJSON: string } }): string {
  try {
    const data: unknown = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString())
    const challenge = (data as { challenge?: unknown } | null)?.challenge
    return typeof challenge === 'string' ? challenge : ''
  } catch {
    return ''
  }
}

function named(given: Record<string, unknown>) {
  const id = textIn(given, 'id')
  return { id, rawId: textIn(given, 'rawId'), type: 'public-key' as const, clientExtensionResults: {} }
}

function objectIn(given: Record<string, unknown>, name: string): Record<string, unknown> {
  const value = given[name]
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw missing(name)
}

function textIn(given: Record<string, unknown>, name: string): string {
  const value = given[name]
  if (typeof value === 'string' && value.length <= longestField && /^[A-Za-z0-9_-]+$/.test(value)) return value
  throw missing(name)
}

function missing(name: string): Fault {
  return new Fault('validation_failed', 'The credential is not one that a browser made.', {
    errors: [
      { pointer: `/credential/${name}`, detail: 'is missing, or not as PublicKeyCredential.toJSON() writes it' },
    ],
  })
}
