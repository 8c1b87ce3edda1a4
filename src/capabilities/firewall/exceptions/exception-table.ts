import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import { ecosystems } from '../../../ecosystems/registry.ts'
import { askedVersion, includesVersion, type VersionPattern, versionPattern } from '../patterns/version-pattern.ts'

/** An approved exception, as verdicts read it. */
export type GrantedException = {
  id: number
  ecosystem: EcosystemId
  /** Normalised. */
  name: string
  /** A version or a range; '' for every version. */
  versions: string
  reason: string
  expiresAt: Date
  /** The denying overrides that it was approved over, as verdicts name them. */
  lifts: readonly string[]
  /** Whom it is for; undefined: everybody in the deployment. */
  members: ReadonlySet<number> | undefined
}

type Entry = GrantedException & { pattern: VersionPattern }

export type ExceptionTable = ReturnType<typeof createExceptionTable>

/** The exceptions of a deployment, by package. */
export function createExceptionTable(granted: readonly GrantedException[]) {
  const byPackage = Map.groupBy(
    granted.map((each): Entry => ({ ...each, pattern: versionPattern(each.ecosystem, each.versions) })),
    ({ ecosystem, name }) => keyOf(ecosystem, name),
  )

  /** Those in force for a person; of nobody in particular only those that are for everybody. */
  function inForce(ecosystem: EcosystemId, name: string, personId: number | undefined, now: Date): Entry[] {
    if (byPackage.size === 0) return []
    const all = byPackage.get(keyOf(ecosystem, name)) ?? []
    return all.filter(
      ({ members, expiresAt }) => expiresAt > now && (!members || (personId !== undefined && members.has(personId))),
    )
  }

  function covering(
    ecosystem: EcosystemId,
    name: string,
    version: string,
    personId: number | undefined,
    now: Date,
  ): GrantedException[] {
    const candidates = inForce(ecosystem, name, personId, now)
    if (candidates.length === 0) return []
    const asked = askedVersion(ecosystem, version)
    return candidates.filter(({ pattern }) => includesVersion(pattern, asked))
  }

  return { covering, inForce: inForce as (...asked: Parameters<typeof inForce>) => GrantedException[] }
}

function keyOf(ecosystem: EcosystemId, name: string): string {
  return `${ecosystem}\n${ecosystems[ecosystem].comparedName(name)}`
}

export const noExceptions = createExceptionTable([])
