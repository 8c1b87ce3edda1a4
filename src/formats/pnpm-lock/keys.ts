import { text } from '../json/safe-json.ts'
import { isRegistryVersion, splitNameAt } from '../npm-specifier.ts'

export type PackageId = { name: string; version: string }

/** The key of a package without the peers it was resolved with: `a@1.0.0(b@2.0.0)` and `/a/1.0.0_b@2.0.0`. */
export function withoutPeers(key: string, majorVersion: number): string {
  if (majorVersion >= 6) {
    const at = key.indexOf('(')
    return at === -1 ? key : key.slice(0, at)
  }
  const at = key.indexOf('_', key.lastIndexOf('/') + 1)
  return at === -1 ? key : key.slice(0, at)
}

/** Name and version of a package by its key; what comes from an address has them in its entry. */
export function packageId(key: string, entry: unknown, majorVersion: number): PackageId | undefined {
  const stated = { name: text(entry, 'name'), version: text(entry, 'version') }
  if (stated.name !== '') return stated
  const bare = withoutPeers(key, majorVersion)
  return majorVersion >= 6 ? idWithAt(bare, stated.version) : idWithSlash(bare)
}

/** From version 6 on: `/@s/a@1.0.0`, without the slash from version 9 on; `a@https://...` has its version in its entry. */
function idWithAt(key: string, statedVersion: string): PackageId | undefined {
  const slash = key.indexOf('/')
  const afterRegistry = /^[\w-]+(?:\.[\w-]+)+(?::\d+)?\//.test(key)
  const { name, rest } = splitNameAt(slash === 0 || afterRegistry ? key.slice(slash + 1) : key)
  if (rest === '') return undefined
  return { name, version: isRegistryVersion(rest) ? rest : statedVersion }
}

/** Up to version 5.4: `/@s/a/1.0.0`, or with a registry, `registry.example/a/1.0.0`. */
function idWithSlash(key: string): PackageId | undefined {
  const parts = key.split('/', 5).slice(1)
  const nameParts = parts[0]?.startsWith('@') ? 2 : 1
  const version = parts[nameParts]
  if (parts.length !== nameParts + 1 || version === undefined || !isRegistryVersion(version)) return undefined
  return { name: parts.slice(0, nameParts).join('/'), version }
}
