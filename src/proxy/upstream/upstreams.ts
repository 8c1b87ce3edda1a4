import { createHash } from 'node:crypto'
import { Fault } from '../../kernel/fault.ts'
import type { Outbound } from '../../outbound/client.ts'
import type { FrontEcosystem } from '../gate.ts'
import type { Defaults } from './defaults.ts'
import type { OpenRegistry, Registries } from './registries.ts'
import type { Upstream } from './upstream.ts'

export type UpstreamOptions = {
  registries: Registries
  defaults: Defaults
  /** For registries that people of a deployment entered. */
  outbound: Outbound
  /** For the default ones, which are the operator's choice. */
  operatorsOutbound: Outbound
}

/** Which of the deployment's registries are for what is asked, in the order in which to ask them. */
export type Choice = (registries: OpenRegistry[]) => OpenRegistry[]

export type Upstreams = ReturnType<typeof createUpstreams>

const publicFreshMs = 60_000
/** Whoever publishes to their own registry wants to have it at once. */
const ownFreshMs = 2_000

/**
 * Where to look for a package, in this order; the first that knows its name has all its versions, so that nobody can add
 * one by the same name elsewhere. The default upstream is asked only where the deployment named no registry for it.
 */
export function createUpstreams({ registries, defaults, outbound, operatorsOutbound }: UpstreamOptions) {
  const made = new WeakMap<OpenRegistry, Upstream>()
  const standard = new Map<string, Upstream>()

  async function find(deploymentId: number, ecosystem: FrontEcosystem, choose: Choice): Promise<Upstream[]> {
    const { registries: all, hosts } = await registries.get(deploymentId)
    const own = choose(all.filter((registry) => registry.ecosystem === ecosystem))
    if (own.length > 0) return own.map((registry) => ofRegistry(deploymentId, registry, hosts))
    return [await standardFor(ecosystem, hosts)]
  }

  function ofRegistry(deploymentId: number, registry: OpenRegistry, hosts: string[]): Upstream {
    if (registry.credentialsKind === 'codeArtifact') {
      const message = `The registry '${registry.name}' is signed in to by a cloud role, which the malware firewall cannot do.`
      throw new Fault('bad_upstream', message)
    }
    const known = made.get(registry)
    if (known) return known
    const url = withSlash(registry.url)
    const { authorization } = registry
    const upstream = {
      partition: `deployment-${deploymentId}-${registry.id}-${shortHash(url)}`,
      url,
      credentials: authorization === undefined ? undefined : { origin: new URL(url).origin, authorization },
      viaBroker: registry.useNetworkBroker,
      outbound,
      freshMs: ownFreshMs,
      artifactHosts: hosts,
    }
    made.set(registry, upstream)
    return upstream
  }

  async function standardFor(ecosystem: FrontEcosystem, hosts: string[]): Promise<Upstream> {
    const key = `${ecosystem} ${hosts.join(' ')}`
    const known = standard.get(key)
    if (known) return known
    const { url, authorization, artifactHosts } = await defaults.get(ecosystem)
    const upstream = {
      partition: `standard-${ecosystem}-${shortHash(url)}`,
      url,
      credentials: authorization === undefined ? undefined : { origin: new URL(url).origin, authorization },
      viaBroker: false,
      outbound: operatorsOutbound,
      freshMs: publicFreshMs,
      artifactHosts: [...artifactHosts, ...hosts],
    }
    if (standard.size > 1_000) standard.clear()
    standard.set(key, upstream)
    return upstream
  }

  return { find }
}

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}
