import { createByteCache } from './cache/byte-cache.ts'
import { isBadAnswer, RegistryRefusal } from './refusal.ts'
import type { Upstream } from './upstream/upstream.ts'

const remembered = 200_000
const atOnce = 8
const most = 2_000

/** Undefined where the registry does not say it. */
type Lookup = (upstream: Upstream, name: string, version: string) => Promise<Date | undefined>

/**
 * When versions were published, where a registry says it of each version by itself and a request is needed to know. It is not
 * remembered of versions that are published again and again.
 */
export function createPublishTimes(lookup: Lookup, changes: (version: string) => boolean = () => false) {
  const known = createByteCache<Date>(remembered)

  async function of(upstream: Upstream, name: string, version: string): Promise<Date | undefined> {
    const key = keyOf(upstream, name, version)
    const found = known.get(key) ?? (await lookup(upstream, name, version))
    if (found && !changes(version)) known.set(key, found, 1)
    return found
  }

  /**
   * Of many versions, a few at a time: those that are known, and of the others as many as can be asked for, the last of the list first.
   * One that the registry gives no proper answer about is not known, and does not keep the others from being.
   */
  async function ofAll(upstream: Upstream, name: string, versions: string[]): Promise<Map<string, Date>> {
    const times = new Map<string, Date>()
    const unknown: string[] = []
    for (const version of versions) {
      const time = known.get(keyOf(upstream, name, version))
      if (time) times.set(version, time)
      else unknown.push(version)
    }
    const left = unknown.slice(-most)
    let refusal: RegistryRefusal | undefined
    const ask = async () => {
      for (let version = left.pop(); version !== undefined; version = left.pop()) {
        const time = await of(upstream, name, version).catch((error) => {
          if (!isBadAnswer(error)) throw error
          if (error instanceof RegistryRefusal) refusal = error
          return undefined
        })
        if (time) times.set(version, time)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, ask))
    // It refuses us, and not just one of them.
    if (refusal && times.size === 0) throw refusal
    return times
  }

  return { of, ofAll }
}

function keyOf({ partition }: Upstream, name: string, version: string): string {
  return `${partition} ${name} ${version}`
}
