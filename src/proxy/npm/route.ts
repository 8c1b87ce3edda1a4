/** What a client of the npm registry asks for. */
export type NpmRoute =
  | { kind: 'packument'; name: string }
  | { kind: 'version'; name: string; version: string }
  | { kind: 'dist-tags'; name: string }
  | { kind: 'tarball'; name: string; version: string }
  | { kind: 'ping' | 'whoami' | 'keys' }
  | { kind: 'attestations'; name: string; version: string }
  | { kind: 'audit'; path: string }
  | { kind: 'unknown' }

/** Old names have capitals and odd characters; none begins with a dot, so none can climb out of its place. */
const word = "[A-Za-z0-9~_*!'()-][A-Za-z0-9~._*!'()-]*"
const namePattern = new RegExp(`^(@${word}/)?${word}$`)
const versionPattern = /^[A-Za-z0-9][A-Za-z0-9.+_~-]{0,255}$/

const auditPaths = ['-/npm/v1/security/advisories/bulk', '-/npm/v1/security/audits/quick', '-/npm/v1/security/audits']

const attestationsPath = '-/npm/v1/attestations/'

/** Reads a path as it was sent. A scoped name comes with its slash or with `%2f`. */
export function npmRoute(path: string): NpmRoute {
  const parts = path.replace(/\/$/, '').split('/').map(decoded)
  if (parts.some((part) => part === undefined)) return { kind: 'unknown' }
  const [first = '', second = '', ...rest] = parts as string[]
  // There is a package of that name, which people install by mistake and keep in their lockfiles.
  if (first === '-' && second !== '' && second !== '-') return serviceRoute(path, [second, ...rest])
  const isSplit = /^@[^/]+$/.test(first)
  const name = isSplit ? `${first}/${second}` : first
  if (!isName(name)) return { kind: 'unknown' }
  return packageRoute(name, isSplit ? rest : [second, ...rest].filter((part, at) => part !== '' || at > 0))
}

function packageRoute(name: string, rest: string[]): NpmRoute {
  const [first, file, ...more] = rest
  if (first === undefined) return { kind: 'packument', name }
  if (first === '-' && file !== undefined && more.length === 0) return tarballRoute(name, file)
  // GitLab and older clients write a scoped tarball as `@scope/name/-/@scope/name-1.0.0.tgz`.
  if (first === '-' && more.length === 1 && file === scopeOf(name)) return tarballRoute(name, more[0]!)
  if (file === undefined && versionPattern.test(first)) return { kind: 'version', name, version: first }
  return { kind: 'unknown' }
}

function tarballRoute(name: string, file: string): NpmRoute {
  const start = `${name.replace(/^@[^/]+\//, '')}-`
  const version = file.startsWith(start) && file.endsWith('.tgz') ? file.slice(start.length, -'.tgz'.length) : ''
  return versionPattern.test(version) ? { kind: 'tarball', name, version } : { kind: 'unknown' }
}

function serviceRoute(path: string, [first, second, ...rest]: string[]): NpmRoute {
  if (first === 'ping' || first === 'whoami') return second === undefined ? { kind: first } : { kind: 'unknown' }
  if (auditPaths.includes(path)) return { kind: 'audit', path }
  if (path === '-/npm/v1/keys') return { kind: 'keys' }
  if (path.startsWith(attestationsPath)) return attestationsRoute([second, ...rest].slice(2).join('/'))
  if (first !== 'package' || second === undefined) return { kind: 'unknown' }
  const isSplit = /^@[^/]+$/.test(second)
  const name = isSplit ? `${second}/${rest.shift()}` : second
  return isName(name) && rest.join('/') === 'dist-tags' ? { kind: 'dist-tags', name } : { kind: 'unknown' }
}

/** `left@1.0.0`, or `@team/right@1.0.0`. */
function attestationsRoute(what: string): NpmRoute {
  const at = what.lastIndexOf('@')
  const [name, version] = [what.slice(0, at), what.slice(at + 1)]
  return at > 0 && isName(name) && versionPattern.test(version)
    ? { kind: 'attestations', name, version }
    : { kind: 'unknown' }
}

export function tarballPath(name: string, version: string): string {
  return `${name}/-/${name.replace(/^@[^/]+\//, '')}-${version}.tgz`
}

/** With its `@`, or undefined. */
export function scopeOf(name: string): string | undefined {
  return /^(@[^/]+)\//.exec(name)?.[1]
}

function isName(name: string): boolean {
  return name.length <= 214 && namePattern.test(name)
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}
