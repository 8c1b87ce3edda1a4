import { pypi } from '../../ecosystems/pypi/ecosystem.ts'
import { parsePep440 } from '../../ecosystems/pypi/version.ts'

/** No file system takes a longer one. */
const longestName = 255
const archive = /\.(tar\.gz|tgz|tar\.bz2|tar\.xz|tar\.Z|tar|zip)$/i

/**
 * The version a file is of, by its name; undefined where that cannot be told. A wheel says it in its second part
 * (PEP 427); a source archive is the project's name, in any spelling, a hyphen and the version (PEP 625 and before it).
 * Installers for other systems and versions that PEP 440 does not know are none of either.
 */
export function versionOfFile(filename: string, project: string): string | undefined {
  if (filename.length > longestName) return undefined
  if (filename.endsWith('.whl')) return versionOfWheel(filename.slice(0, -'.whl'.length), project)
  const ending = archive.exec(filename)
  if (!ending) return undefined
  const stem = filename.slice(0, ending.index)
  for (let at = stem.indexOf('-'); at > 0; at = stem.indexOf('-', at + 1)) {
    if (pypi.normalizeName(stem.slice(0, at)) !== project) continue
    const version = stem.slice(at + 1)
    return isVersion(version) ? version : undefined
  }
  return undefined
}

function versionOfWheel(stem: string, project: string): string | undefined {
  const parts = stem.split('-')
  const [name = '', version = ''] = parts
  const isWheel = (parts.length === 5 || parts.length === 6) && pypi.normalizeName(name) === project
  return isWheel && isVersion(version) ? version : undefined
}

function isVersion(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9.!+_-]*$/.test(text) && parsePep440(text) !== undefined
}
