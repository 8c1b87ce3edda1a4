import type { ProxyEcosystem } from '../release-check.ts'
import { cargoClientUpstream, publicIndex as cratesIo } from './clients/cargo-client.ts'
import { goClientUpstream, publicProxy } from './clients/go-client.ts'
import { central, mavenClientUpstream } from './clients/maven-client.ts'
import { npmClientUpstream, publicRegistry } from './clients/npm-client.ts'
import { pipClientUpstream, publicIndex } from './clients/pip-client.ts'
import { apart, artifactHostsOf, type DefaultUpstream, isFirewallFront } from './default-upstream.ts'

export type Defaults = ReturnType<typeof createDefaults>

/** What the operator set, by ecosystem; undefined leaves it to the client of this machine. */
export type UpstreamSettings = Readonly<Record<ProxyEcosystem, string | undefined>>

const ofClient: Record<ProxyEcosystem, () => Promise<DefaultUpstream>> = {
  npm: npmClientUpstream,
  pypi: pipClientUpstream,
  maven: mavenClientUpstream,
  cargo: cargoClientUpstream,
  gomod: goClientUpstream,
}
const publicUrls: Record<ProxyEcosystem, string> = {
  npm: publicRegistry,
  pypi: publicIndex,
  maven: central,
  cargo: cratesIo,
  gomod: publicProxy,
}
export const settingNames: Record<ProxyEcosystem, string> = {
  npm: 'GATEHOUSE_NPM_UPSTREAM',
  pypi: 'GATEHOUSE_PYPI_UPSTREAM',
  maven: 'GATEHOUSE_MAVEN_UPSTREAM',
  cargo: 'GATEHOUSE_CARGO_UPSTREAM',
  gomod: 'GATEHOUSE_GO_UPSTREAM',
}

/** Looked for when first needed, and then for good: the client of the machine may take a second to say. */
export function createDefaults(settings: UpstreamSettings) {
  const asked = new Map<ProxyEcosystem, Promise<DefaultUpstream>>()
  const found = new Map<ProxyEcosystem, DefaultUpstream>()
  const origins = new Set<string>()

  function get(ecosystem: ProxyEcosystem): Promise<DefaultUpstream> {
    const earlier = asked.get(ecosystem)
    if (earlier) return earlier
    const looking = look(ecosystem, settings[ecosystem])
    asked.set(ecosystem, looking)
    looking.then(
      (upstream) => {
        origins.add(new URL(upstream.url).origin)
        found.set(ecosystem, upstream)
      },
      () => asked.delete(ecosystem),
    )
    return looking
  }

  /** What is known by now. If nothing is, it is looked for, and nobody waits. */
  function known(ecosystem: ProxyEcosystem): DefaultUpstream | undefined {
    get(ecosystem).catch(() => {})
    return found.get(ecosystem)
  }

  async function look(ecosystem: ProxyEcosystem, setting: string | undefined): Promise<DefaultUpstream> {
    if (setting === undefined) return besidesGatehouse(ecosystem, await ofClient[ecosystem]())
    const { url, authorization } = apart(setting)
    return { url, authorization, artifactHosts: artifactHostsOf(url), source: settingNames[ecosystem] }
  }

  /** True for the origins that the operator chose, whatever their address. */
  const isOperators = (origin: string) => origins.has(origin)

  return { get, known, isOperators }
}

/**
 * A client of this machine may be pointed at a Gatehouse, as everybody else's: most likely at this one, which would ask itself. Without
 * the client's login none can be asked anyway, so packages come from the public registry then.
 */
function besidesGatehouse(ecosystem: ProxyEcosystem, found: DefaultUpstream): DefaultUpstream {
  if (!isFirewallFront(found.url)) return found
  const url = publicUrls[ecosystem]
  const source = `because ${found.source} names a Gatehouse, ${found.url}`
  return { url, authorization: undefined, artifactHosts: artifactHostsOf(url), source, passedOver: found.url }
}
