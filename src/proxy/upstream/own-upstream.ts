import { hostname } from 'node:os'
import { proxiedEcosystemIds } from '../../ecosystems/ecosystem.ts'
import { isFirewallFront } from './default-upstream.ts'
import { createDefaults, settingNames, type UpstreamSettings } from './defaults.ts'

type Where = { publicUrl: string; port: number; packageUpstreams: UpstreamSettings }

/** Why it cannot start: with its own front as upstream, each request would come back until nothing answers any more. */
export async function ownUpstreamProblem(settings: Where): Promise<string | undefined> {
  const defaults = createDefaults(settings.packageUpstreams)
  for (const ecosystem of proxiedEcosystemIds) {
    const upstream = await defaults.get(ecosystem).catch(() => undefined)
    if (upstream && isOwnFront(upstream.url, settings)) {
      return (
        `The default upstream for ${ecosystem}, ${upstream.url} (${upstream.source}), is this Gatehouse itself. ` +
        `Set ${settingNames[ecosystem]} to the registry that packages come from.`
      )
    }
  }
  return undefined
}

/** Another Gatehouse may be an upstream; it is at another address. */
export function isOwnFront(upstream: string, { publicUrl, port }: Pick<Where, 'publicUrl' | 'port'>): boolean {
  const url = new URL(upstream)
  if (!isFirewallFront(upstream)) return false
  if (url.origin === new URL(publicUrl).origin) return true
  const isThisMachine = /^(localhost|127\.[0-9.]+|\[::1\])$/.test(url.hostname) || url.hostname === hostname()
  return isThisMachine && Number(url.port || (url.protocol === 'https:' ? 443 : 80)) === port
}
