/** Where packages come from when a deployment names no registry. */
export type DefaultUpstream = {
  /** With a slash at its end. */
  url: string
  /** Of the operator's settings alone: what a client of this machine signs in with is not for every deployment. */
  authorization: string | undefined
  /** Hosts besides its own that its artifacts come from. */
  artifactHosts: readonly string[]
  /** Who said so, in words. */
  source: string
  /** What the client of this machine names, where that is a Gatehouse and was passed over. */
  passedOver?: string
}

/** Where clients of a Gatehouse are pointed at, whichever it is. */
export function isFirewallFront(address: string): boolean {
  return /^(\/.*)?\/firewall\/[0-9]+\/(npm|pypi|maven|cargo|go)(\/|$)/.test(new URL(address).pathname)
}

/** An address and the login that may stand in it. */
export function apart(text: string): { url: string; authorization: string | undefined } {
  const url = new URL(text)
  const login = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  url.username = ''
  url.password = ''
  url.search = ''
  url.hash = ''
  if (!url.pathname.endsWith('/')) url.pathname += '/'
  const authorization = login === ':' ? undefined : `Basic ${Buffer.from(login).toString('base64')}`
  return { url: url.href, authorization }
}

const artifactHosts = new Map<string, readonly string[]>([
  ['pypi.org', ['files.pythonhosted.org']],
  ['index.crates.io', ['static.crates.io', 'crates.io']],
])

/** Public registries keep their files on hosts of their own. */
export function artifactHostsOf(url: string): readonly string[] {
  return artifactHosts.get(new URL(url).hostname) ?? []
}
