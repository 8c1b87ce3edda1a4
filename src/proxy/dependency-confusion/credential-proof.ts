import { indexPath } from '../cargo/route.ts'
import { escapedModule } from '../go/route.ts'
import type { ProxyEcosystem } from '../release-check.ts'
import { guarded, statusOf, type Upstream } from '../upstream/upstream.ts'

/** Where a registry tells of a package. */
function addressOf(ecosystem: ProxyEcosystem, { url }: Upstream, name: string): string {
  if (ecosystem === 'npm') return url + name.replace('/', '%2f')
  if (ecosystem === 'pypi') return `${url}${name}/`
  if (ecosystem === 'cargo') return url + indexPath(name)
  if (ecosystem === 'gomod') return `${url}${escapedModule(name)}/@v/list`
  const [group = '', artifact = ''] = name.split(':')
  return `${url}${group.replaceAll('.', '/')}/${artifact}/maven-metadata.xml`
}

export type Said = {
  ecosystem: ProxyEcosystem
  upstream: Upstream
  /** What the registry has just said that it does not have. */
  name: string
  /** Names that it was seen to have. */
  known(): Promise<string[]>
}

/**
 * Whether "not found" means it. Many registries say so of what they hide from whoever is not signed in, so an expired token looks
 * like a package that is not there. Our credentials are taken to be accepted when the registry answers us otherwise than
 * anybody: it turns away a stranger who asks for the same, it calls us by another name, or it shows us a package that it
 * does not show to strangers. All of it is asked after the answer in doubt.
 */
export async function meansNotFound({ ecosystem, upstream, name, known }: Said): Promise<boolean> {
  if (!upstream.credentials) return upstream.registry?.requiresAuth !== true
  const stranger = await statusOf(upstream, addressOf(ecosystem, upstream, name), 'anybody')
  if (isTurnedAway(stranger)) return true
  if (ecosystem === 'npm' && (await isCalledByName(upstream))) return true
  for (const other of await known()) {
    const address = addressOf(ecosystem, upstream, other)
    if ((await statusOf(upstream, address, 'us')) !== 200) continue
    const shown = await statusOf(upstream, address, 'anybody')
    if (isTurnedAway(shown) || shown === 404 || isLedAway(shown)) return true
  }
  return false
}

function isTurnedAway(status: number): boolean {
  return status === 401 || status === 403
}

/** To a public registry, or to where people sign in. */
function isLedAway(status: number): boolean {
  return status >= 300 && status < 400
}

/** A registry that knows no strangers may still call them something, such as `anonymous`. */
async function isCalledByName(upstream: Upstream): Promise<boolean> {
  const us = await nameAt(upstream)
  return us !== undefined && us !== (await nameAt({ ...upstream, credentials: undefined }))
}

async function nameAt(upstream: Upstream): Promise<string | undefined> {
  const { outbound, credentials, viaBroker, times } = upstream
  const asked = {
    url: `${upstream.url}-/whoami`,
    credentials,
    viaBroker,
    maxBytes: 64 * 1024,
    timeoutMs: times.headersMs,
  }
  const { status, body } = await guarded(upstream, () => outbound.request({ ...asked, mayFollow: () => false }))
  if (status !== 200) return undefined
  try {
    const { username } = JSON.parse(body.toString('utf8')) as { username?: unknown }
    return typeof username === 'string' && username !== '' ? username : undefined
  } catch {
    return undefined
  }
}
