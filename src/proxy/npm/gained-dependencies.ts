import type { ReleaseSignal } from '../../capabilities/firewall/rules/release-facts.ts'

const dayMs = 86_400_000
/** A package that came to be less than this before the release that begins to use it is new. */
const youngDays = 30

/** Whether the dependencies that a release gains are new packages themselves, or none that anybody knows. */
export async function youngDependency(
  gained: readonly string[],
  publishedAt: number,
  bornAt: (name: string) => Promise<number | undefined>,
): Promise<ReleaseSignal[]> {
  for (const name of gained) {
    const born = await bornAt(name)
    const days = born === undefined ? 0 : Math.floor((publishedAt - born) / dayMs)
    if (born !== undefined && days >= youngDays) continue
    const age =
      born !== undefined ? `which is only ${Math.max(0, days)} days older than this release` : 'which no registry has'
    return [{ signal: 'young_dependency', because: `It gains the dependency ${name}, ${age}` }]
  }
  return []
}
