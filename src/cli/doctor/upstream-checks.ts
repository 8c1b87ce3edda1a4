import { proxiedEcosystemIds } from '../../ecosystems/ecosystem.ts'
import { createDefaults } from '../../proxy/upstream/defaults.ts'
import type { Settings } from '../../settings/settings.ts'
import type { CheckResult } from './machine-checks.ts'

/** Where packages come from when a deployment names no registry of its own, and who said so. Nothing is asked there. */
export async function checkUpstreams({ packageUpstreams }: Settings): Promise<CheckResult[]> {
  const defaults = createDefaults(packageUpstreams)
  return Promise.all(
    proxiedEcosystemIds.map(async (ecosystem): Promise<CheckResult> => {
      const { url, authorization, source } = await defaults.get(ecosystem)
      const login = authorization === undefined ? 'no login' : 'with a login'
      const part = `default upstream for ${ecosystem}`
      const detail = `${url} (${source}; ${login})`
      if (url.startsWith('https:')) return { part, state: 'ok', detail }
      return {
        part,
        state: 'warning',
        detail,
        advice: 'It is not encrypted: what vouches for packages can be changed on the way.',
      }
    }),
  )
}
