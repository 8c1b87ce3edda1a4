import { defineEcosystem } from '../ecosystem.ts'
import { pathPurlName } from '../purl-names.ts'
import { semverKey } from '../semver-key.ts'

export const swiftpm = defineEcosystem({
  id: 'swiftpm',
  purlType: 'swift',
  osvName: 'SwiftURL',
  normalizeName: repositoryName,
  // A part that ends with a slash, or begins with an at sign, is one of a path; only of a whole location something is left out.
  normalizePart: (part) => (isLocation(part) ? repositoryName(part) : part.toLowerCase()),
  nameFromPurl: (purl) => (purl.namespace ? pathPurlName.nameFromPurl(purl) : undefined),
  nameToPurl: (name) => {
    const parts = pathPurlName.nameToPurl(withoutScheme(name))
    return parts?.namespace ? parts : undefined
  },
  orderKey: (version) => semverKey(version),
})

/** SwiftPM knows a package by its repository, whatever the scheme, user, case or `.git` (CanonicalPackageLocation). */
function repositoryName(name: string): string {
  return withoutScheme(name).toLowerCase()
}

function isLocation(part: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/|^[^/@:]+@[^/@:]+:|\.git$/i.test(part.trim())
}

function withoutScheme(name: string): string {
  const location = name.trim()
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(location)
  const scp = scheme ? undefined : /^[^/@:]+@([^/:]+):/.exec(location)
  const rest = scheme ? location.slice(scheme[0].length) : scp ? `${scp[1]}/${location.slice(scp[0].length)}` : location
  const withoutUser = rest.replace(/^[^/@]*@/, '')
  let end = withoutUser.length
  while (end > 0 && withoutUser[end - 1] === '/') end--
  const path = withoutUser.slice(0, end)
  return path.toLowerCase().endsWith('.git') ? path.slice(0, -4) : path
}
