import type { ReleaseFacts } from '../../capabilities/firewall/rules/release-facts.ts'

const dayMs = 86_400_000
/** A package that came to be less than this before the release that begins to use it is new. */
const youngDays = 30

/** Whether the dependencies that a release gains are new packages themselves, or none that anybody knows. */
export function createGainedDependencies() {
  const known = new WeakMap<ReleaseFacts, Promise<ReleaseFacts>>()

  /** The facts with that signal, if it shows. Once for each document that they are from. */
  function factsOf(
    facts: ReleaseFacts,
    release: { publishedAt?: Date | undefined },
    bornAt: (name: string) => Promise<number | undefined>,
  ): Promise<ReleaseFacts> {
    const before = known.get(facts)
    if (before) return before
    const looking = look(facts, release.publishedAt?.getTime() ?? Number.POSITIVE_INFINITY, bornAt)
    known.set(facts, looking)
    // What could not be asked now may be the next time.
    looking.catch(() => known.delete(facts))
    return looking
  }

  return { factsOf }
}

async function look(
  { gained = [], ...facts }: ReleaseFacts,
  publishedAt: number,
  bornAt: (name: string) => Promise<number | undefined>,
): Promise<ReleaseFacts> {
  for (const name of gained) {
    const born = await bornAt(name)
    const days = born === undefined ? 0 : Math.floor((publishedAt - born) / dayMs)
    if (born !== undefined && days >= youngDays) continue
    const age =
      born !== undefined ? `which is only ${Math.max(0, days)} days older than this release` : 'which no registry has'
    const because = `It gains the dependency ${name}, ${age}`
    return { ...facts, signals: [...facts.signals, { signal: 'young_dependency', because }] }
  }
  return facts
}
