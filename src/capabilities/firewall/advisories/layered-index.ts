import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import { openIndex } from '../verdicts/verdict-index.ts'
import type { LoadedIndex } from './load-index.ts'

export type LayeredIndex = ReturnType<typeof layeredIndex>

/**
 * Everything as it was at some revision, and what changed since as a small index on top: a new advisory is known within a
 * moment, without laying out a quarter of a million packages again.
 */
export function layeredIndex(base: LoadedIndex, news?: LoadedIndex) {
  const old = openIndex(base.arrays)
  const recent = news && openIndex(news.arrays)
  const superseded = new Set(news?.changed)

  function match(ecosystem: EcosystemId, name: string, version: string): readonly string[] {
    return both(old.match(ecosystem, name, version), recent?.match(ecosystem, name, version))
  }

  /** Those that name every version. */
  function matchWhole(ecosystem: EcosystemId, name: string): readonly string[] {
    return both(old.matchWhole(ecosystem, name), recent?.matchWhole(ecosystem, name))
  }

  /** Those that name any version. */
  function matchAny(ecosystem: EcosystemId, name: string): readonly string[] {
    return both(old.matchAny(ecosystem, name), recent?.matchAny(ecosystem, name))
  }

  function both(before: readonly string[], after: readonly string[] | undefined): readonly string[] {
    if (!after) return before.length === 0 ? before : before.map(withoutFeed)
    if (before.length === 0 && after.length === 0) return before
    const standing = before.filter((id) => !superseded.has(id))
    return [...standing, ...after].map(withoutFeed)
  }

  /** Whether any version of it may be malicious. */
  function knows(ecosystem: EcosystemId, name: string): boolean {
    return old.knows(ecosystem, name) || (recent?.knows(ecosystem, name) ?? false)
  }

  return {
    match,
    matchWhole,
    matchAny,
    knows,
    base,
    revision: news?.revision ?? base.revision,
    /** When so much has changed, all of it is better laid out again. */
    isWorn: superseded.size > Math.max(5_000, old.packageCount / 10),
    packageCount: old.packageCount + (recent?.packageCount ?? 0),
    bytes: old.bytes + (recent?.bytes ?? 0),
  }
}

/** In the index an advisory is known by `feed/id`, because two feeds may carry the same record. */
function withoutFeed(id: string): string {
  return id.slice(id.indexOf('/') + 1)
}
