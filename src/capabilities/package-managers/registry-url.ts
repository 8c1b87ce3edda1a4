import type { RegistryType } from './contract.ts'

// RFC 1123 §2.1: labels of letters, digits and inner hyphens.
const label = '[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
const hostPattern = new RegExp(`^(\\*\\.)?(${label}\\.)*${label}$`)

/**
 * What is wrong with the address of an entry, or undefined. Never quotes it: who got it wrong may have put a password
 * into it.
 */
export function urlProblem(type: RegistryType, url: string): string | undefined {
  return type === 'REGISTRY_TYPE_MALWARE_FIREWALL' ? hostPatternProblem(url) : registryUrlProblem(url)
}

function hostPatternProblem(pattern: string): string | undefined {
  if (hostPattern.test(pattern) && pattern.length <= 255) return undefined
  return 'must be a host name, or `*.` and a host name, without scheme, port and path'
}

/**
 * Read as the WHATWG URL parser does, which is what will connect to it. What that parser tidies up in silence is refused
 * first, since another reader may see another host there.
 */
function registryUrlProblem(text: string): string | undefined {
  if (/[\s\\\u0000-\u001f\u007f]/.test(text)) return 'must not contain spaces, backslashes or control characters'
  if (!/^https?:\/\/[^/]/i.test(text))
    return 'must be an http or https address, for example https://registry.example.com/npm/'
  if (/[?#]/.test(text)) return 'must have no query and no fragment'
  const authority = text.replace(/^[a-z]+:\/\//i, '').split('/')[0]!
  if (authority.includes('@')) return 'must not carry a user name or password; send them as credentials'
  const url = URL.parse(text)
  if (!url || url.port === '0') return 'is not an address that can be reached'
  return undefined
}

/** Scheme, host and port (RFC 6454 §4): who gets to see the credentials. Only for addresses without a problem. */
export function originOf(url: string): string {
  return new URL(url).origin
}
