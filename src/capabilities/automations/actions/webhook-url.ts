const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/**
 * What is wrong with a webhook's address, or undefined. It is never quoted: it may hold secrets. Not encrypted only on this
 * machine, which the operator also has to allow.
 */
export function webhookUrlProblem(text: string): string | undefined {
  // The parser tidies these up in silence, and another reader may then see another host.
  if (/[\s\\\p{Cc}]/u.test(text)) return 'must not contain spaces, backslashes or control characters'
  const url = /^https?:\/\/[^/]/i.test(text) ? URL.parse(text) : undefined
  if (!url || url.port === '0') return 'must be an address like https://hooks.example.com/gatehouse'
  if (url.username || url.password) return 'must not carry a user name or password'
  if (text.includes('#')) return 'must have no fragment'
  if (url.protocol === 'http:' && !loopback.test(url.hostname)) return 'must begin with https://'
  return undefined
}

/** Scheme, host and port (RFC 6454 §4). Only for addresses without a problem. */
export function originOf(url: string): string {
  return new URL(url).origin
}
