import { createByteCache } from '../cache/byte-cache.ts'
import { lastModified, type Upstream } from '../upstream/upstream.ts'

const remembered = 50_000
const atOnce = 8
const most = 500

/** When versions were published: a Maven repository says it only of files, so that of the POM stands for its version. */
export function createPublishTimes() {
  const known = createByteCache<Date>(remembered * 4)

  async function of(upstream: Upstream, name: string, version: string): Promise<Date | undefined> {
    const [group = '', artifact = ''] = name.split(':')
    const url = `${upstream.url}${group.replaceAll('.', '/')}/${artifact}/${version}/${artifact}-${version}.pom`
    const found = known.get(url) ?? (await lastModified(upstream, url))
    if (found) known.set(url, found, 1)
    return found
  }

  /** Of many versions, a few at a time; of more than can be asked for, none. */
  async function ofAll(upstream: Upstream, name: string, versions: string[]): Promise<Map<string, Date>> {
    const times = new Map<string, Date>()
    if (versions.length > most) return times
    const left = [...versions]
    const ask = async () => {
      for (let version = left.pop(); version !== undefined; version = left.pop()) {
        const time = await of(upstream, name, version)
        if (time) times.set(version, time)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, ask))
    return times
  }

  return { of, ofAll }
}
