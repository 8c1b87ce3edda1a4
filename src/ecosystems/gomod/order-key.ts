import { semverKey } from '../semver-key.ts'
import { unreadableKey } from '../unreadable-key.ts'

const number = '(0|[1-9][0-9]*)'
const moduleVersion = new RegExp(
  `^v?${number}(?:\\.${number}(?:\\.${number}(?:-([0-9A-Za-z.-]+))?(?:\\+[0-9A-Za-z.-]+)?)?)?$`,
)
const toolchainVersion = /^(?:go)?([0-9]+\.[0-9]+(?:\.[0-9]+)?)(?:(rc|beta)([0-9]+))?$/

/**
 * golang.org/x/mod/semver: what follows `+` (`+incompatible` too) does not count, pseudo-versions are pre-releases, `v1` is
 * `v1.0.0`, and an invalid version comes before all valid ones. The `v` is optional: advisories leave it out. The
 * toolchain's own versions (`go1.21rc2`) are read too, since the standard library is listed as a module.
 */
export function goKey(version: string): Uint8Array {
  const text = version.trim()
  const module = moduleVersion.exec(text)
  if (module && isValidPrerelease(module[4])) return semverKey(text)
  const toolchain = toolchainVersion.exec(text)
  if (!toolchain) return unreadableKey(version)
  return semverKey(toolchain[2] ? `${toolchain[1]}-${toolchain[2]}.${toolchain[3]}` : toolchain[1]!)
}

function isValidPrerelease(prerelease: string | undefined): boolean {
  return prerelease === undefined || prerelease.split('.').every((part) => part !== '' && !/^0[0-9]+$/.test(part))
}
