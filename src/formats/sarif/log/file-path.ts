const drive = /^[A-Za-z]:\//
const scheme = /^[A-Za-z][A-Za-z0-9+.-]+:/

/**
 * A URI or path of a log as a plain path with `/`: `file:` gone, percent-decoded, without `.` and inner `..`. Other URLs stay as
 * they are. Tools often write a path where SARIF wants a URI, so nothing is refused.
 */
export function toPath(uri: string): string {
  if (isUrl(uri)) return uri
  const fromFile = /^file:/i.test(uri)
  let path = uri.replaceAll('\\', '/')
  if (fromFile) path = withoutFileScheme(path)
  // Segment by segment, so that an encoded slash does not become a folder.
  path = path.split('/').map(decoded).join('/')
  return tidy(path)
}

export function isAbsolute(path: string): boolean {
  return path.startsWith('/') || drive.test(path) || isUrl(path)
}

/** `path` as seen from the folder `base`; undefined where it is not below it. */
export function below(base: string, path: string): string | undefined {
  const folder = base.endsWith('/') ? base : `${base}/`
  const sameCase = drive.test(folder) ? path.toLowerCase().startsWith(folder.toLowerCase()) : path.startsWith(folder)
  if (!sameCase) return path === base ? '.' : undefined
  return path.slice(folder.length) || '.'
}

export function join(base: string, path: string): string {
  if (base === '' || isAbsolute(path)) return path
  const joined = base.endsWith('/') ? base + path : `${base}/${path}`
  return isUrl(base) ? joined : tidy(joined)
}

/** Anything with a scheme but `file:`; a drive letter is none. */
function isUrl(uri: string): boolean {
  return scheme.test(uri) && !/^file:/i.test(uri) && uri.includes('://')
}

/** `file:///C:/x` → `C:/x`, `file:////x` and `file:/x` → `/x`, `file://host/x` → `//host/x` (RFC 8089). */
function withoutFileScheme(uri: string): string {
  const rest = uri.slice('file:'.length)
  const host = /^\/\/([^/]+)(\/.*)?$/.exec(rest)
  if (host && !/^localhost$/i.test(host[1]!) && !drive.test(`${host[1]}/`)) return `//${host[1]}${host[2] ?? '/'}`
  const path = host ? (drive.test(`${host[1]}/`) ? `/${host[1]}${host[2] ?? '/'}` : (host[2] ?? '/')) : rest
  const absolute = path.replace(/^\/+/, '/')
  return drive.test(absolute.slice(1)) ? absolute.slice(1) : absolute
}

function decoded(segment: string): string {
  if (!segment.includes('%')) return segment
  try {
    const plain = decodeURIComponent(segment)
    return /[/\\\u0000]/.test(plain) ? segment : plain
  } catch {
    return segment
  }
}

function tidy(path: string): string {
  const unc = path.startsWith('//') && !path.startsWith('///')
  const rooted = path.startsWith('/')
  const kept: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment === '..' && kept.length > 0 && kept.at(-1) !== '..') kept.pop()
    else if (segment !== '..' || !rooted) kept.push(segment)
  }
  const plain = kept.join('/')
  if (rooted) return `${unc ? '//' : '/'}${plain}`
  return plain === '' && path !== '' ? '.' : plain
}
