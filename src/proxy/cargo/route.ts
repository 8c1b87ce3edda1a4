/** What Cargo asks a sparse registry for. */
export type CargoRoute =
  | { kind: 'config' }
  /** In lower case, as all paths of an index are. */
  | { kind: 'index'; name: string }
  | { kind: 'download'; name: string; version: string }
  | { kind: 'unknown' }

const crateName = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,127}$/
const crateVersion = /^[0-9][0-9A-Za-z.+-]{0,127}$/
const download = /^api\/v1\/crates\/([^/]+)\/([^/]+)\/download$/

export function cargoRoute(sent: string): CargoRoute {
  const path = decoded(sent)
  if (path === 'config.json') return { kind: 'config' }
  const [, name, version] = download.exec(path) ?? []
  if (name !== undefined && version !== undefined) {
    return isCrate(name) && crateVersion.test(version) ? { kind: 'download', name, version } : { kind: 'unknown' }
  }
  const last = path.slice(path.lastIndexOf('/') + 1)
  return isCrate(last) && path === indexPath(last) ? { kind: 'index', name: last } : { kind: 'unknown' }
}

export function isCrate(name: string): boolean {
  return crateName.test(name)
}

/** The Cargo Book, Registry Index, Index Files. */
export function indexPath(name: string): string {
  const file = name.toLowerCase()
  return `${prefixOf(file)}/${file}`
}

export function prefixOf(name: string): string {
  if (name.length < 3) return String(name.length)
  return name.length === 3 ? `3/${name[0]}` : `${name.slice(0, 2)}/${name.slice(2, 4)}`
}

/** What cannot be decoded matches nothing. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
