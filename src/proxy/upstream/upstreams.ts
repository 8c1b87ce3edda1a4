import { createHash } from 'node:crypto'
import { basic } from '../../capabilities/package-managers/public.ts'
import type { Fault } from '../../kernel/contract/fault.ts'
import type { Outbound } from '../../outbound/client/client.ts'
import type { Credentials } from '../../outbound/client/request.ts'
import type { CredentialRule } from '../../outbound/ssrf-guard/plain-http.ts'
import { RegistryRefusal } from '../refusal.ts'
import type { ProxyEcosystem } from '../release-check.ts'
import type { RoleTokens } from './aws/role-tokens.ts'
import { artifactHostsOf } from './default-upstream.ts'
import type { Defaults } from './defaults.ts'
import { isPublicHost, isPublicRegistry } from './public-registries.ts'
import type { DeploymentRegistries, OpenRegistry, Registries } from './registries.ts'
import type { UpstreamTimes } from './times.ts'
import type { Upstream } from './upstream.ts'

export type UpstreamOptions = {
  registries: Registries
  defaults: Defaults
  /** For registries that are signed in to by a cloud role. */
  roleTokens: RoleTokens
  /** For registries that people of a deployment entered. */
  outbound: Outbound
  /** For the default ones, which are the operator's choice. */
  operatorsOutbound: Outbound
  mayCarryCredentials: CredentialRule
  times: UpstreamTimes
  /** Told of every request to a registry that fails. */
  onFailure?: (registry: 'public' | 'own') => void
}

/**
 * Which of the deployment's registries are for what is asked, in the order in which to ask them; undefined where it is none of
 * their business. An empty list means that nobody is asked: the name is private, and the default upstream must not learn of it.
 */
export type Choice = (registries: OpenRegistry[]) => OpenRegistry[] | undefined

export type Upstreams = ReturnType<typeof createUpstreams>

/** What a deployment has for an ecosystem. */
export type Scene = Pick<DeploymentRegistries, 'claims' | 'owners'> & {
  /** All of its registries: its own first, public ones last, each in the order in which they were made. */
  all: Upstream[]
  /** Those that may have what is asked for, in the order in which they are asked. */
  candidates(choose: Choice): Promise<Upstream[]>
}

const publicFreshMs = 60_000
/** Whoever publishes to their own registry wants to have it at once. */
const ownFreshMs = 2_000

/**
 * Where packages come from. A deployment's own registries are asked before public ones, whichever was entered first. The default
 * upstream is asked only where the deployment named no registry for it.
 */
export function createUpstreams(options: UpstreamOptions) {
  const { registries, defaults, roleTokens, outbound, operatorsOutbound, mayCarryCredentials, times, onFailure } =
    options
  const made = new WeakMap<OpenRegistry, Upstream>()
  const standard = new Map<string, Upstream>()

  async function find(deploymentId: number, ecosystem: ProxyEcosystem): Promise<Scene> {
    const { registries: entries, hosts, claims, owners } = await registries.get(deploymentId)
    const entered = entries.filter((registry) => registry.ecosystem === ecosystem)
    const standardUrl = entered.length === 0 ? '' : (await defaults.get(ecosystem)).url
    const inOrder = entered.map((registry) => ofRegistry(deploymentId, ecosystem, registry, hosts, standardUrl))
    const all = [...inOrder.filter(({ isPublic }) => !isPublic), ...inOrder.filter(({ isPublic }) => isPublic)]

    async function candidates(choose: Choice): Promise<Upstream[]> {
      const own = entered.length === 0 ? undefined : choose(entered)
      if (own) return all.filter(({ registry }) => own.includes(registry!))
      return [await standardFor(ecosystem, hosts)]
    }

    return { all, claims, owners, candidates }
  }

  /** As it is in the database now. */
  function findAgain(deploymentId: number, ecosystem: ProxyEcosystem): Promise<Scene> {
    registries.forget(deploymentId)
    return find(deploymentId, ecosystem)
  }

  function ofRegistry(
    deploymentId: number,
    ecosystem: ProxyEcosystem,
    registry: OpenRegistry,
    hosts: string[],
    standardUrl: string,
  ): Upstream {
    const known = made.get(registry)
    if (known) return known
    const url = withSlash(registry.url)
    const isPublic = isPublicRegistry(ecosystem, url, standardUrl)
    const upstream = {
      registry,
      isPublic,
      partition: `deployment-${deploymentId}-${registry.id}-${shortHash(url)}`,
      url,
      credentials: credentialsOf(deploymentId, registry, url),
      viaBroker: registry.useNetworkBroker,
      outbound,
      times,
      freshMs: ownFreshMs,
      artifactHosts: [...artifactHostsOf(url), ...hosts],
      isReferral: ({ hostname }: URL) => !isPublic && isPublicHost(ecosystem, hostname),
      onFailure: () => onFailure?.('own'),
    }
    made.set(registry, upstream)
    return upstream
  }

  function credentialsOf(deploymentId: number, registry: OpenRegistry, url: string): Credentials | undefined {
    const { signIn } = registry
    if (!signIn) return undefined
    const { origin } = new URL(url)
    if ('unreadable' in signIn) return { origin, authorization: () => refuse(signIn.unreadable) }
    if (!mayCarryCredentials(url)) return { origin, authorization: () => refusePlain(origin) }
    if ('authorization' in signIn) return { origin, authorization: signIn.authorization }
    const wanted = { ...registry, roleArn: signIn.roleArn }
    const authorization = async () => authorizationOf(registry, await roleTokens.get(deploymentId, wanted))
    return { origin, authorization }
  }

  async function standardFor(ecosystem: ProxyEcosystem, hosts: string[]): Promise<Upstream> {
    const key = `${ecosystem} ${hosts.join(' ')}`
    const known = standard.get(key)
    if (known) return known
    const { url, authorization, artifactHosts } = await defaults.get(ecosystem)
    const upstream = {
      registry: undefined,
      isPublic: true,
      partition: `standard-${ecosystem}-${shortHash(url)}`,
      url,
      credentials: authorization === undefined ? undefined : { origin: new URL(url).origin, authorization },
      viaBroker: false,
      outbound: operatorsOutbound,
      times,
      freshMs: publicFreshMs,
      artifactHosts: [...artifactHosts, ...hosts],
      isReferral: () => false,
      onFailure: () => onFailure?.('public'),
    }
    if (standard.size > 1_000) standard.clear()
    standard.set(key, upstream)
    return upstream
  }

  return { find, findAgain }
}

/** Asked without them it might answer as to a stranger, and whose a name is would be decided by that. */
function refuse(unreadable: Fault): never {
  throw unreadable
}

/** Before anything is sent: whoever is on the way would read them. */
function refusePlain(origin: string): never {
  const remedy = 'Enter it with https, or have the operator name its host in GATEHOUSE_PLAIN_HTTP_HOSTS.'
  throw new RegistryRefusal(
    `Credentials are stored for ${origin}, which is not encrypted, so it is not asked. ${remedy}`,
  )
}

/** A token of CodeArtifact, as each client of it is told to send it ("Authentication and tokens", CodeArtifact User Guide). */
function authorizationOf({ ecosystem }: OpenRegistry, token: string): string {
  if (ecosystem === 'npm') return `Bearer ${token}`
  return ecosystem === 'cargo' ? token : basic({ username: 'aws', password: token })
}

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}
