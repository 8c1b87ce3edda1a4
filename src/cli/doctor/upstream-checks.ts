import { type ProxiedEcosystemId, proxiedEcosystemIds } from '../../ecosystems/ecosystem.ts'
import type { DefaultUpstream } from '../../proxy/upstream/default-upstream.ts'
import { createDefaults, type Defaults, settingNames } from '../../proxy/upstream/defaults.ts'
import type { Settings } from '../../settings/settings.ts'
import type { CheckResult } from './machine-checks.ts'

/** Where packages come from when a deployment names no registry of its own, and who said so. Nothing is asked there. */
export async function checkUpstreams({ packageUpstreams }: Pick<Settings, 'packageUpstreams'>): Promise<CheckResult[]> {
  const defaults = createDefaults(packageUpstreams)
  return Promise.all(
    proxiedEcosystemIds.map(async (ecosystem) => checkUpstream(ecosystem, await defaults.get(ecosystem))),
  )
}

/** The same, as far as it is known: the clients of a machine take seconds to say. */
export function checkKnownUpstreams({ known }: Pick<Defaults, 'known'>): CheckResult[] {
  return proxiedEcosystemIds.map((ecosystem) => checkUpstream(ecosystem, known(ecosystem)))
}

function checkUpstream(ecosystem: ProxiedEcosystemId, upstream: DefaultUpstream | undefined): CheckResult {
  const part = `default upstream for ${ecosystem}`
  if (!upstream) return { part, state: 'ok', detail: 'the client of this machine is being asked for it' }
  const { url, authorization, source } = upstream
  const login = authorization === undefined ? 'no login' : 'with a login'
  const detail = `${url} (${source}; ${login})`
  if (upstream.passedOver) {
    const advice = `Clients are pointed there, and packages cannot come from it. Set ${settingNames[ecosystem]} to the registry that they come from.`
    return { part, state: 'warning', detail, advice }
  }
  if (url.startsWith('https:')) return { part, state: 'ok', detail }
  return {
    part,
    state: 'warning',
    detail,
    advice: 'It is not encrypted: what vouches for packages can be changed on the way.',
  }
}
