/** What the go command asks a module proxy for (Go Modules Reference, GOPROXY protocol and checksum database). */
export type GoRoute =
  | { kind: 'list' | 'latest'; module: string }
  /** `version` may also be the name of a branch or a commit. */
  | { kind: 'info'; module: string; version: string }
  | { kind: 'mod' | 'zip'; module: string; version: string }
  | { kind: 'sumdb'; database: string; path: string; module: string | undefined }
  | { kind: 'unknown' }

const unknown: GoRoute = { kind: 'unknown' }
const modulePath = /^[a-z0-9!_~-]+(\.+[a-z0-9!_~-]+)*(\/[a-z0-9!_~-]+(\.+[a-z0-9!_~-]+)*)*$/
const versionWord = /^[a-z0-9!_~-][a-z0-9!._~+-]{0,199}$/
const canonical = /^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?(\+incompatible)?$/
const databaseName = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/
const tilePath = /^tile\/[0-9]{1,2}\/(data|[0-9]{1,2})(\/x?[0-9]{3}){1,8}(\.p\/[0-9]{1,3})?$/

export function goRoute(sent: string): GoRoute {
  const path = decoded(sent)
  if (path.length > 1_000) return unknown
  if (path.startsWith('sumdb/')) return sumdbRoute(path.slice('sumdb/'.length))
  const [, latestOf] = /^(.+)\/@latest$/.exec(path) ?? []
  if (latestOf !== undefined) return ofModule(latestOf, (module) => ({ kind: 'latest', module }))
  const at = path.indexOf('/@v/')
  const file = path.slice(at + '/@v/'.length)
  if (at < 1 || file.includes('/')) return unknown
  return ofModule(path.slice(0, at), (module) => fileRoute(module, file))
}

function fileRoute(module: string, file: string): GoRoute {
  if (file === 'list') return { kind: 'list', module }
  const dot = file.lastIndexOf('.')
  const [word, ending] = [file.slice(0, Math.max(0, dot)), file.slice(dot + 1)]
  const version = versionWord.test(word) ? unescaped(word) : undefined
  if (version === undefined) return unknown
  if (ending === 'info') return { kind: 'info', module, version }
  const isFile = (ending === 'mod' || ending === 'zip') && isCanonical(version)
  return isFile ? { kind: ending, module, version } : unknown
}

function sumdbRoute(rest: string): GoRoute {
  const slash = rest.indexOf('/')
  const [database, path] = [rest.slice(0, Math.max(0, slash)), rest.slice(slash + 1)]
  if (!isSumdbName(database)) return unknown
  if (path === 'supported' || path === 'latest' || tilePath.test(path)) {
    return { kind: 'sumdb', database, path, module: undefined }
  }
  const [, escaped = '', version = ''] = /^lookup\/([^@]+)@([^@/]+)$/.exec(path) ?? []
  if (!versionWord.test(version)) return unknown
  return ofModule(escaped, (module) => ({ kind: 'sumdb', database, path, module }))
}

function ofModule(escaped: string, make: (module: string) => GoRoute): GoRoute {
  const module = modulePath.test(escaped) ? unescaped(escaped) : undefined
  return module === undefined ? unknown : make(module)
}

/** Whether it is a version, and not the name of something that a version is looked up by. */
export function isCanonical(version: string): boolean {
  return canonical.test(version)
}

export function isSumdbName(name: string): boolean {
  return name.length <= 253 && databaseName.test(name)
}

export function isModule(path: string): boolean {
  return path.length <= 400 && !path.includes('!') && modulePath.test(escapedModule(path))
}

/** golang.org/x/mod/module, EscapePath: paths that differ in case alone are told apart on every file system. */
export function escapedModule(path: string): string {
  return path.replace(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`)
}

/** Undefined for a mark that nothing follows. */
function unescaped(text: string): string | undefined {
  const plain = text.replace(/!([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return plain.includes('!') ? undefined : plain
}

/** What cannot be decoded matches nothing. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
