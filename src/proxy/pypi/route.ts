import { pypi } from '../../ecosystems/pypi/ecosystem.ts'

/** What a client of a Python index asks for. */
export type PypiRoute =
  | { kind: 'project'; project: string }
  | { kind: 'file' | 'metadata'; project: string; filename: string }
  | { kind: 'unknown' }

const namePattern = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,212}[A-Za-z0-9])?$/
const filePattern = /^[A-Za-z0-9][A-Za-z0-9._+!~-]{0,254}$/
const metadataEnding = '.metadata'

/** Reads a path as it was sent; projects are known by any spelling of their name. */
export function pypiRoute(path: string): PypiRoute {
  const parts = path.split('/')
  const [root, name = '', filename = '', ...rest] = parts.map(decoded)
  if (root !== 'simple' || rest.length > 0 || !namePattern.test(name)) return { kind: 'unknown' }
  const project = pypi.normalizeName(name)
  if (filename === '') return { kind: 'project', project }
  if (!filePattern.test(filename)) return { kind: 'unknown' }
  if (!filename.endsWith(metadataEnding)) return { kind: 'file', project, filename }
  return { kind: 'metadata', project, filename: filename.slice(0, -metadataEnding.length) }
}

/** What cannot be decoded matches no pattern. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return '/'
  }
}
