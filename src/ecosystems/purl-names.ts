import type { PurlName } from './purl.ts'

/** How a package name and the parts of a purl make each other, for ecosystems that agree on it. */
type PurlNaming = {
  nameFromPurl(purl: PurlName): string | undefined
  nameToPurl(name: string): PurlName | undefined
}

/** One word, no namespace: PyPI, crates.io, RubyGems, NuGet, Pub. */
export const plainPurlName: PurlNaming = {
  nameFromPurl: (purl) => (purl.namespace ? undefined : purl.name),
  nameToPurl: (name) => (name === '' ? undefined : { name }),
}

/** A path whose last segment is the purl's name: npm scopes, Go modules, Composer vendors, Swift repositories. */
export const pathPurlName: PurlNaming = {
  nameFromPurl: (purl) => (purl.namespace ? `${purl.namespace}/${purl.name}` : purl.name),
  nameToPurl: (name) => {
    const slash = name.lastIndexOf('/')
    const last = name.slice(slash + 1)
    if (last === '') return undefined
    return slash === -1 ? { name } : { namespace: name.slice(0, slash), name: last }
  },
}

/**
 * Packages of a distribution: the namespace says whose they are (`debian`, `redhat`), and the package is called by its name
 * alone, by people and by the package manager. A name that somebody writes with its namespace is looked up without it.
 */
export function distributionPurlName({ foldCase }: { foldCase: boolean }) {
  const normalizeName = (name: string) => {
    const own = name.trim().slice(name.trim().lastIndexOf('/') + 1)
    return foldCase ? own.toLowerCase() : own
  }
  return {
    normalizeName,
    nameFromPurl: (purl: PurlName) => purl.name,
    nameToPurl: (name: string) => (name === '' ? undefined : { name }),
  }
}
