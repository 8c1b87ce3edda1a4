/** Parameters that say what was fetched. All others go: nobody can list the names under which tokens are passed. */
const harmless =
  /^(?:ref|rev|commit|head|branch|tag|semver|path|subdir|subdirectory|workspace|cwd|egg|hash|md5|sha1|sha256|sha384|sha512|version)$/i
const maxLength = 4096

/** An address without user, password or tokens; '' for one too long to be an address. */
export function withoutCredentials(address: string): string {
  if (address.length > maxLength) return ''
  const hashAt = address.indexOf('#')
  const fragment = hashAt === -1 ? '' : address.slice(hashAt + 1)
  const beforeHash = hashAt === -1 ? address : address.slice(0, hashAt)
  const queryAt = beforeHash.indexOf('?')
  const query = queryAt === -1 ? '' : harmlessParameters(beforeHash.slice(queryAt + 1))
  const base = withoutUser(queryAt === -1 ? beforeHash : beforeHash.slice(0, queryAt))
  const kept = fragment.includes('=') ? harmlessParameters(fragment) : fragment.includes('@') ? '' : fragment
  return base + (query && `?${query}`) + (kept && `#${kept}`)
}

function harmlessParameters(query: string): string {
  return query
    .split('&')
    .filter((pair) => harmless.test(pair.split('=', 1)[0]!))
    .join('&')
}

function withoutUser(address: string): string {
  const schemeEnd = address.indexOf('://')
  if (schemeEnd === -1) {
    // user@host:path and user:password@host: an @ behind the first slash is a scope or a version.
    const at = address.lastIndexOf('@', firstOf(address, '/', 0))
    return at > 0 && /^[\w.+-]+:[^/]*$/.test(address.slice(0, at)) ? address.slice(at + 1) : address
  }
  const start = schemeEnd + 3
  let at = address.lastIndexOf('@', firstOf(address, '/', start))
  const host = address.slice(start, firstOf(address, '/', start))
  // What stands behind the colon of a host is a port; else it is a password with a slash in it.
  if (at < start && /^[^:]*:(?!\d*$)/.test(host)) at = address.lastIndexOf('@')
  return at >= start ? address.slice(0, start) + address.slice(at + 1) : address
}

function firstOf(text: string, char: string, from: number): number {
  const found = text.indexOf(char, from)
  return found === -1 ? text.length : found
}
