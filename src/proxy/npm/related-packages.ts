import type { ReleaseFacts } from '../../capabilities/firewall/rules/release-facts.ts'
import { burstMs } from '../release-history.ts'
import { youngDependency } from './gained-dependencies.ts'
import { type ReleaseTimes, scopeBurst } from './scope-burst.ts'

type Release = { name: string; publishedAt?: Date | undefined }
type Looked = { facts: Promise<ReleaseFacts>; isFinal: boolean; at: number }

/** What the registries of a deployment say of other packages. */
export type Others = {
  deploymentId: number
  /** When a package came to be; undefined where no registry has it. */
  bornAt(name: string): Promise<number | undefined>
  /** Of each that a registry has. */
  timesOf(names: readonly string[]): Promise<ReleaseTimes[]>
  /** More packages of a scope that the deployment uses. */
  namesIn(scope: string): Promise<string[]>
}

const againMs = 60_000
const mostSiblings = 30

/** What is unusual about a release only beside other packages: those that it begins to use, and those of its scope. */
export function createRelatedPackages(time: () => Date) {
  const known = new WeakMap<ReleaseFacts, Map<number, Looked>>()

  /** The facts with these signals, if they show. Once for each document that they are from, and each deployment. */
  function factsOf(facts: ReleaseFacts, release: Release, others: Others): Promise<ReleaseFacts> {
    const looks = known.get(facts) ?? new Map<number, Looked>()
    known.set(facts, looks)
    const before = looks.get(others.deploymentId)
    const now = time().getTime()
    if (before && (before.isFinal || now - before.at < againMs)) return before.facts
    const publishedAt = release.publishedAt?.getTime() ?? Number.POSITIVE_INFINITY
    const looking = look(facts, release.name, publishedAt, others)
    // Within its hour others may still follow.
    const looked = { facts: looking, isFinal: facts.siblings === undefined || now - publishedAt > burstMs, at: now }
    looks.set(others.deploymentId, looked)
    looking.then(
      (found) => {
        looked.isFinal ||= found.signals.some(({ signal }) => signal === 'scope_burst')
      },
      // What could not be asked now may be the next time.
      () => looks.delete(others.deploymentId),
    )
    return looking
  }

  return { factsOf }
}

async function look(
  { gained = [], siblings, ...facts }: ReleaseFacts,
  name: string,
  publishedAt: number,
  others: Others,
): Promise<ReleaseFacts> {
  const young = await youngDependency(gained, publishedAt, others.bornAt)
  const burst = siblings ? await burstOf(name, siblings) : []
  return { ...facts, signals: [...facts.signals, ...young, ...burst] }

  async function burstOf(own: string, named: readonly string[]) {
    const scope = own.slice(0, own.indexOf('/'))
    const used = await others.namesIn(`${scope}/`)
    const names = [...new Set([own, ...named, ...used])].slice(0, mostSiblings)
    return scopeBurst(scope, await others.timesOf(names), publishedAt, facts.earlierAt ?? [])
  }
}
