import { isIP } from 'node:net'

/** Who asks for a passkey (WebAuthn §4: relying party), by the address that people find Gatehouse at. */
export type RelyingParty = { id: string; origin: string }

/** Why passkeys cannot be used at this address. */
export type NoPasskeys = { why: string }

/**
 * Browsers give passkeys only to named hosts, and only over https but for the machine itself (WebAuthn §5.1.3, §13.4.9). Where
 * nobody said an address, and it is that of this machine, its name is localhost.
 */
export function relyingPartyOf({
  publicUrl,
  givenUrl,
}: {
  publicUrl: string
  givenUrl: string | undefined
}): RelyingParty | NoPasskeys {
  const url = new URL(publicUrl)
  if (givenUrl === undefined && ['127.0.0.1', '[::1]'].includes(url.hostname)) url.hostname = 'localhost'
  const { hostname, protocol, origin } = url
  if (isIP(hostname.replace(/^\[|\]$/g, ''))) {
    return { why: `Passkeys need a host name, and this Gatehouse is at ${hostname}. Set GATEHOUSE_URL to one.` }
  }
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  if (protocol !== 'https:' && !isLocal) {
    return { why: 'Passkeys need https, and this Gatehouse is at a plain http address. Set GATEHOUSE_URL to https.' }
  }
  return { id: hostname, origin }
}
