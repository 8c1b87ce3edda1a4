import { type Claim, claimOn, nameKey, type Owner } from '../../capabilities/package-names/public.ts'
import { createByteCache } from '../cache/byte-cache.ts'
import { createSingleFlight } from '../cache/single-flight.ts'
import { isOutage, PrivateNameRefusal, RegistryRefusal } from '../refusal.ts'
import type { ProxyEcosystem } from '../release-check.ts'
import type { Upstream } from '../upstream/upstream.ts'
import type { Choice, Scene, Upstreams } from '../upstream/upstreams.ts'
import { meansNotFound } from './credential-proof.ts'
import type { NameCache } from './name-cache.ts'

export type OwnershipQuestion = {
  deploymentId: number
  ecosystem: ProxyEcosystem
  name: string
  /** Besides its own name: what else a claim may be on for it to be claimed. */
  alias?: string | undefined
  choose: Choice
  /** Whether a registry has it, in any version. Throws where the registry does not say. */
  has(upstream: Upstream): Promise<boolean>
}

export type Ownership = ReturnType<typeof createOwnership>

export type OwnershipOptions = { upstreams: Upstreams; memory: NameCache; now(): number }

/** After so long registries that come before a public one are asked again whether they have a name by now. */
const recheckMs = 10 * 60_000
/** While they cannot be asked, what they said last counts for so long. */
const graceMs = 24 * 60 * 60_000
const decisions = 100_000

/**
 * Whose a name is: decided by its name alone, for all its versions and files, so that nobody adds to a private package by
 * publishing under its name elsewhere. What is claimed or was once seen in a registry of the deployment's own is asked of that
 * registry and of nobody else. What is not known yet is asked in order, and the next registry is asked only after the one
 * before it has said, to credentials that it accepts, that it does not have it.
 */
export function createOwnership({ upstreams, memory, now }: OwnershipOptions) {
  const decided = createByteCache<{ partition: string; at: number }>(decisions)
  const once = createSingleFlight<Upstream | undefined>()

  /** Who is asked for it, in order; nobody where it is nowhere. */
  async function sourcesOf(wanted: OwnershipQuestion): Promise<Upstream[]> {
    const { deploymentId, ecosystem, name, alias } = wanted
    const key = nameKey(ecosystem, name)
    const scene = await upstreams.find(deploymentId, ecosystem)
    const claim = claimFor(scene, ecosystem, key, alias)
    if (claim) return together(ofClaim(scene, claim, name), scene)
    const owner = await ownerOf(deploymentId, ecosystem, key, scene)
    if (owner) return together(ofOwner(scene, owner, name), scene)
    const candidates = await scene.candidates(wanted.choose)
    if (candidates.length < 2) return candidates
    const flight = `${deploymentId} ${ecosystem} ${key}`
    const found = await once(flight, () => discover(flight, wanted, candidates, scene))
    return found ? together(found, scene) : []
  }

  /** Why nobody may be asked for it; undefined where somebody may. No registry is asked. */
  async function closedTo(deploymentId: number, ecosystem: ProxyEcosystem, name: string): Promise<string | undefined> {
    const key = nameKey(ecosystem, name)
    const scene = await upstreams.find(deploymentId, ecosystem)
    try {
      const claim = claimFor(scene, ecosystem, key, undefined)
      if (claim) return void ofClaim(scene, claim, name)
      const owner = await ownerOf(deploymentId, ecosystem, key, scene)
      if (owner) ofOwner(scene, owner, name)
      return undefined
    } catch (error) {
      if (error instanceof PrivateNameRefusal) return error.message
      throw error
    }
  }

  async function ownerOf(deploymentId: number, ecosystem: ProxyEcosystem, key: string, scene: Scene) {
    // Who never had a registry of their own has no names either.
    if (scene.owners.length === 0 && scene.all.length === 0) return undefined
    const id = await memory.ownerOf(deploymentId, ecosystem, key)
    if (id === undefined) return undefined
    // One that another process has just seen for the first time is not in what was read before.
    return ownerIn(scene, id) ?? ownerIn(await upstreams.findAgain(deploymentId, ecosystem), id)
  }

  async function discover(flight: string, wanted: OwnershipQuestion, candidates: Upstream[], scene: Scene) {
    const last = decided.get(flight)
    const former = last && candidates.find(({ partition }) => partition === last.partition)
    if (former && now() - last.at < recheckMs) return former
    try {
      const found = await askInOrder(wanted, candidates, scene)
      if (found?.isPublic) decided.set(flight, { partition: found.partition, at: now() }, 1)
      return found
    } catch (error) {
      if (former && isOutage(error) && now() - last.at < graceMs) return former
      throw error
    }
  }

  async function askInOrder(
    wanted: OwnershipQuestion,
    candidates: Upstream[],
    scene: Scene,
  ): Promise<Upstream | undefined> {
    const { deploymentId, ecosystem, name } = wanted
    for (const [at, upstream] of candidates.entries()) {
      if (await wanted.has(upstream)) {
        await memory.learn(deploymentId, ecosystem, name, upstream)
        return upstream
      }
      if (at === candidates.length - 1) break
      const known = () => memory.someOf(deploymentId, ownerFor(scene, upstream))
      if (!(await meansNotFound({ ecosystem, upstream, name, known }))) throw inDoubt(upstream, name)
    }
    return undefined
  }

  /** To be called when a registry was seen to have it. */
  function learn({ deploymentId }: { deploymentId: number }, ecosystem: ProxyEcosystem, name: string, from: Upstream) {
    return memory.learn(deploymentId, ecosystem, name, from)
  }

  /** Which of these names a registry other than this one has for itself. */
  async function ownedElsewhere(deploymentId: number, ecosystem: ProxyEcosystem, names: string[], than: Upstream) {
    const scene = await upstreams.find(deploymentId, ecosystem)
    const self = than.registry && ownerFor(scene, than)?.id
    const keys = names.map((name) => nameKey(ecosystem, name))
    const owners = scene.owners.length === 0 ? new Map() : await memory.ownersOfAll(deploymentId, ecosystem, keys)
    return new Set(
      names.filter((_, at) => {
        const claim = claimOn(scene.claims, ecosystem, keys[at]!)
        if (claim) return than.registry === undefined || claim.registryId !== than.registry.id
        const owner = owners.get(keys[at]!)
        return owner !== undefined && owner !== self
      }),
    )
  }

  return { sourcesOf, closedTo, learn, ownedElsewhere }
}

function claimFor(scene: Scene, ecosystem: ProxyEcosystem, key: string, alias: string | undefined): Claim | undefined {
  if (scene.claims.length === 0) return undefined
  const claim = claimOn(scene.claims, ecosystem, key)
  return claim ?? (alias === undefined ? undefined : claimOn(scene.claims, ecosystem, nameKey(ecosystem, alias)))
}

function ownerIn({ owners }: Scene, wanted: number): Owner | undefined {
  return owners.find(({ id }) => id === wanted)
}

function ofClaim({ all }: Scene, claim: Claim, name: string): Upstream {
  const found = all.find(({ registry }) => registry!.id === claim.registryId)
  if (found) return found
  const why = claim.registryId === null ? 'no registry is named for it' : 'the registry that is named for it is gone'
  const whom = 'An owner or admin of your Gatehouse deployment can change the claim.'
  const message = `${name} is claimed (${claim.pattern}) and ${why}, so nobody is asked. ${whom}`
  throw new PrivateNameRefusal(claim.ecosystem, name, message)
}

/** By its address, or else by its entry; a public registry is nobody's own, even where an entry was changed to be one. */
function ofOwner({ all }: Scene, owner: Owner, name: string): Upstream {
  const own = all.filter(({ isPublic }) => !isPublic)
  const found =
    own.find(({ url }) => url === owner.url) ?? own.find(({ registry }) => registry!.id === owner.registryId)
  if (found) return found
  const place = `a registry at ${new URL(owner.url).origin} that is no longer entered`
  const whom = 'An owner or admin of your Gatehouse deployment can enter it again, or release the name.'
  const message = `${name} belongs to ${place}, and nobody else is asked for it. ${whom}`
  throw new PrivateNameRefusal(owner.ecosystem, name, message)
}

function ownerFor({ owners }: Scene, { url, registry }: Upstream): Owner | undefined {
  const fitting = owners.filter(({ ecosystem }) => ecosystem === registry?.ecosystem)
  return fitting.find((owner) => owner.url === url) ?? fitting.find(({ registryId }) => registryId === registry?.id)
}

const complements: Record<string, string> = {
  MAVEN_REPOSITORY_TYPE_RELEASE: 'MAVEN_REPOSITORY_TYPE_SNAPSHOT',
  MAVEN_REPOSITORY_TYPE_SNAPSHOT: 'MAVEN_REPOSITORY_TYPE_RELEASE',
}

/** One place often has releases and snapshots in two repositories; what is in either belongs to both. */
function together(upstream: Upstream, { all }: Scene): Upstream[] {
  const wanted = complements[upstream.registry?.repositoryType ?? '']
  if (wanted === undefined) return [upstream]
  const { origin } = new URL(upstream.url)
  const others = all.filter(
    ({ registry, url }) => registry?.repositoryType === wanted && new URL(url).origin === origin,
  )
  return [upstream, ...others]
}

function inDoubt({ url, registry }: Upstream, name: string): RegistryRefusal {
  const { origin } = new URL(url)
  const doubt = registry?.signIn
    ? 'and nothing shows that it accepts the credentials stored for it: it answers as it would answer a stranger'
    : 'but it asks for credentials and none are stored'
  const remedy =
    'Check them; if it needs none, set requiresAuth to false. Otherwise fetch a package that it has, or claim its names.'
  return new RegistryRefusal(`${origin} says that it has no ${name}, ${doubt}. So nobody else is asked. ${remedy}`)
}
