import { nameKey, namesKnownOf, type Owner, ownersOf, rememberName } from '../../capabilities/package-names/public.ts'
import type { Database } from '../../kernel/database/database.ts'
import { createByteCache } from '../cache/byte-cache.ts'
import type { ProxyEcosystem } from '../release-check.ts'
import type { Upstream } from '../upstream/upstream.ts'

export type NameCache = ReturnType<typeof createNameCache>

/** What another process remembered or released is felt after this long. */
const believedMs = 10_000
const memoryEntries = 100_000

/** Which names a registry of a deployment was seen to have: in the database for good, and here for a moment. */
export function createNameCache(db: Database, now: () => number) {
  const known = createByteCache<{ ownerId: number | undefined; readAt: number }>(memoryEntries)

  /** The number of its owner. */
  async function ownerOf(deploymentId: number, ecosystem: ProxyEcosystem, key: string): Promise<number | undefined> {
    const place = placeOf(deploymentId, ecosystem, key)
    let entry = known.get(place)
    if (!entry || now() - entry.readAt > believedMs) {
      const readAt = now()
      entry = { ownerId: (await ownersOf(db.as({ deploymentId }), ecosystem, [key])).get(key), readAt }
      known.set(place, entry, 1)
    }
    return entry.ownerId
  }

  /** Of many names at once; read again. */
  function ownersOfAll(deploymentId: number, ecosystem: ProxyEcosystem, keys: string[]): Promise<Map<string, number>> {
    return ownersOf(db.as({ deploymentId }), ecosystem, keys)
  }

  /** From now on the name belongs to this registry, unless it belongs to another already. */
  async function learn(
    deploymentId: number,
    ecosystem: ProxyEcosystem,
    name: string,
    upstream: Upstream,
  ): Promise<void> {
    const { registry, url, isPublic } = upstream
    if (!registry || isPublic) return
    const key = nameKey(ecosystem, name)
    const place = placeOf(deploymentId, ecosystem, key)
    if (known.get(place)?.ownerId !== undefined) return
    const readAt = now()
    const seen = { ecosystem, name: key, spelling: name, registryId: registry.id, url }
    // Without a database nothing can be remembered, but the order in which registries are asked still holds.
    const ownerId = await rememberName(db, deploymentId, seen).catch(() => undefined)
    if (ownerId === undefined) return
    known.set(place, { ownerId, readAt }, 1)
  }

  /** A few names that a registry was seen to have. */
  async function someOf(deploymentId: number, owner: Owner | undefined): Promise<string[]> {
    return owner ? namesKnownOf(db.as({ deploymentId }), owner.id) : []
  }

  return { ownerOf, ownersOfAll, learn, someOf }
}

function placeOf(deploymentId: number, ecosystem: ProxyEcosystem, key: string): string {
  return `${deploymentId} ${ecosystem} ${key}`
}
