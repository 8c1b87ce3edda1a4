/** A package URL, decoded (ECMA-427). */
export type Purl = PurlName & {
  readonly type: string
  readonly version?: string | undefined
  readonly qualifiers?: Readonly<Record<string, string>> | undefined
}

export type PurlName = {
  readonly namespace?: string | undefined
  readonly name: string
  readonly subpath?: string | undefined
}

/** Undefined for what is not a package URL; never throws. Types with rules of their own for names come out by those rules. */
export function parsePurl(text: string): Purl | undefined {
  const [beforeSubpath, rawSubpath] = cutLast(text.trim(), '#')
  const [beforeQualifiers, rawQualifiers] = cutLast(beforeSubpath, '?')
  const scheme = /^pkg:\/*/i.exec(beforeQualifiers)
  if (!scheme) return undefined
  const [type, path] = cutFirst(beforeQualifiers.slice(scheme[0].length), '/')
  if (path === undefined || !typePattern.test(type)) return undefined

  // `pkg:npm/@scope/name` is written unencoded by many tools: an @ that opens a scope starts no version.
  const at = path.lastIndexOf('@')
  const opensScope = at === 0 && path.includes('/') && type.toLowerCase() === 'npm'
  const [rawName, rawVersion] = at !== -1 && !opensScope ? [path.slice(0, at), path.slice(at + 1)] : [path, undefined]
  const segments = rawName.split('/')
  const name = decode(segments.pop()!)
  const namespace = decodePath(segments, '')
  const version = rawVersion === undefined ? undefined : decode(rawVersion)
  const qualifiers = parseQualifiers(rawQualifiers ?? '')
  const subpath = decodePath((rawSubpath ?? '').split('/'), '.')
  if (!name || namespace === undefined || qualifiers === undefined || subpath === undefined) return undefined
  if (rawVersion !== undefined && version === undefined) return undefined
  return byTypeRules({
    type: type.toLowerCase(),
    namespace: namespace || undefined,
    name,
    version: version || undefined,
    qualifiers,
    subpath: subpath || undefined,
  })
}

/** The canonical text; undefined where the parts make no package URL. */
export function formatPurl(parts: Purl): string | undefined {
  if (!parts.name || !typePattern.test(parts.type)) return undefined
  const purl = byTypeRules({ ...parts, type: parts.type.toLowerCase() })
  if (!purl) return undefined
  const qualifiers = Object.entries(purl.qualifiers ?? {}).filter(([, value]) => value !== '')
  if (!qualifiers.every(([key]) => qualifierPattern.test(key))) return undefined
  const query = qualifiers.map(([key, value]) => `${key.toLowerCase()}=${encode(value)}`).sort()
  return [
    `pkg:${purl.type}/`,
    purl.namespace ? `${encodePath(purl.namespace)}/` : '',
    encode(purl.name),
    purl.version ? `@${encode(purl.version)}` : '',
    query.length > 0 ? `?${query.join('&')}` : '',
    purl.subpath ? `#${encodePath(purl.subpath)}` : '',
  ].join('')
}

const typePattern = /^[a-z][a-z0-9.-]*$/i
const qualifierPattern = /^[a-z][a-z0-9._-]*$/i

/** PURL-TYPES: the rules that change a name or forbid one. */
function byTypeRules(purl: Purl): Purl | undefined {
  const namespace = purl.namespace
  switch (purl.type) {
    case 'pypi':
      return { ...purl, name: purl.name.toLowerCase().replace(/[-_.]+/g, '-') }
    case 'composer':
    case 'hex':
      return { ...purl, namespace: namespace?.toLowerCase(), name: purl.name.toLowerCase() }
    case 'pub':
      return { ...purl, name: purl.name.toLowerCase() }
    case 'swift':
      return namespace ? purl : undefined
    default:
      return purl
  }
}

function parseQualifiers(text: string): Record<string, string> | undefined {
  const qualifiers: [string, string][] = []
  for (const pair of text.split('&')) {
    const [key, rawValue] = cutFirst(pair, '=')
    if (!rawValue) continue
    const value = decode(rawValue)
    if (value === undefined || !qualifierPattern.test(key)) return undefined
    qualifiers.push([key.toLowerCase(), value])
  }
  return Object.fromEntries(qualifiers)
}

/** In a subpath, `.` and `..` are left out like empty segments: it must not lead out of the package. */
function decodePath(segments: string[], dots: '' | '.'): string | undefined {
  const decoded: string[] = []
  for (const segment of segments) {
    const text = decode(segment)
    if (text === undefined) return undefined
    if (text === '' || (dots && (text === '.' || text === '..'))) continue
    decoded.push(text)
  }
  return decoded.join('/')
}

function encodePath(path: string): string {
  return path
    .split('/')
    .filter((segment) => segment !== '')
    .map(encode)
    .join('/')
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replaceAll('%3A', ':')
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function cutFirst(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator)
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}

function cutLast(text: string, separator: string): [string, string | undefined] {
  const at = text.lastIndexOf(separator)
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}
