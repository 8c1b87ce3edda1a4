/** Whether credentials may be sent to an address. */
export type CredentialRule = (url: string) => boolean

const thisMachine = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/
const hostForm = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/

/**
 * Credentials travel encrypted. Without encryption they may go to this machine, which outward calls reach only where the
 * operator allows it, and to hosts that the operator names: `host` or `host:port`, separated by commas. Throws for what is
 * neither.
 */
export function createCredentialRule(allowed: string): CredentialRule {
  const hosts = allowed
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter(Boolean)
  if (!hosts.every((host) => hostForm.test(host))) throw new Error('not a host')
  const named = new Set(hosts)
  return (text) => {
    const url = URL.parse(text)
    if (!url) return false
    if (url.protocol === 'https:') return true
    return thisMachine.test(url.hostname) || named.has(url.hostname) || named.has(`${url.hostname}:${url.port || 80}`)
  }
}
