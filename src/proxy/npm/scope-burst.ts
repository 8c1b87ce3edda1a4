import type { ReleaseSignal } from '../../capabilities/firewall/rules/release-facts.ts'
import { burstMs } from '../release-history.ts'

/** When the versions of a package came out, in milliseconds since 1970. */
export type ReleaseTimes = readonly number[]

const fewestPackages = 5
/** Scopes whose packages always come out together are as many every time. A worm that goes through them is more. */
const growth = 2

/**
 * Whether unusually many versions of the packages of a scope came out at once, this one among them: of five packages at least, and
 * twice as many as around each of the releases before it.
 */
export function scopeBurst(
  scope: string,
  packages: readonly ReleaseTimes[],
  publishedAt: number,
  earlierAt: readonly number[],
): ReleaseSignal[] {
  const now = around(packages, publishedAt)
  if (now.packages < fewestPackages || earlierAt.length === 0) return []
  const most = Math.max(...earlierAt.map((at) => around(packages, at).versions))
  if (now.versions < most * growth) return []
  const because = `${now.versions} versions of ${now.packages} packages of ${scope} came out within an hour, ${most} around releases before it`
  return [{ signal: 'scope_burst', because }]
}

function around(packages: readonly ReleaseTimes[], at: number): { packages: number; versions: number } {
  const counts = packages.map((times) => times.filter((time) => Math.abs(time - at) <= burstMs).length)
  return {
    packages: counts.filter((count) => count > 0).length,
    versions: counts.reduce((sum, count) => sum + count, 0),
  }
}
