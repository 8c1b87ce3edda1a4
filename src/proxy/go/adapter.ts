import type { Actor } from '../../kernel/access/actor.ts'
import type {
  RegistryAdapter,
  RegistryRequest,
  RegistryResponse,
} from '../../kernel/contract/adapters/registry-adapter.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { createYield } from '../../kernel/threads/event-loop-yield.ts'
import { type ArtifactSource, answerArtifact, notThere, requireDigest } from '../artifact-source.ts'
import type { Publication } from '../asked-verdict.ts'
import type { Digest } from '../cache/digest.ts'
import type { Disk } from '../cache/disk.ts'
import { bytesOf, createDocuments, type Document } from '../cache/documents.ts'
import type { Ownership } from '../dependency-confusion/name-ownership.ts'
import { createPublishTimes } from '../publish-times.ts'
import type { Release, ReleaseCheck } from '../release-check.ts'
import { createRewriteCache, respondWithDocument } from '../rewrite-cache.ts'
import type { Threads } from '../threads/threads.ts'
import { ownerOf } from '../upstream/collect-body.ts'
import { fetchDocument, type Upstream } from '../upstream/upstream.ts'
import { createChecksumDatabase } from './checksum-database.ts'
import { type ModuleInfo, newestOf, readInfo } from './documents.ts'
import type { FirstSeen } from './first-seen.ts'
import { escapedModule, type GoRoute, goRoute, isCanonical, isModule } from './route.ts'

export type GoAdapterOptions = {
  threads: Threads
  ownership: Ownership
  /** Where the checksum database of public modules is asked for; undefined where only registries of its own are entered. */
  publicUpstream(actor: Actor): Promise<Upstream | undefined>
  releaseCheck: ReleaseCheck
  source: ArtifactSource
  firstSeen: FirstSeen
  /** The checksum database that vouches for public modules; undefined: none does. */
  sumdb: string | undefined
  disk: Disk
  judgedMs: number
  patienceMs: number
  now(): number
}

type FileRoute = Extract<GoRoute, { kind: 'mod' | 'zip' }>
type FoundInfo = { upstream: Upstream; info: ModuleInfo }

const memoryBytes = 32 * 1024 * 1024
/** What was released stays what it is; that it was taken back is noticed after this long. */
const releaseFreshMs = 10 * 60_000
const longAgo = new Date(0)

/** A module proxy as the go command reads it (Go Modules Reference, GOPROXY protocol). */
export function createGoAdapter(options: GoAdapterOptions) {
  const { threads, ownership, publicUpstream, releaseCheck, source, firstSeen, sumdb, judgedMs, now } = options
  const common = { disk: options.disk, memoryBytes, patienceMs: options.patienceMs, now }
  const lists = createDocuments<string[]>({
    ...common,
    async read(body, _type, key) {
      const versions: string[] = []
      const of = ownerOf(key.split(' ')[1]!)
      await threads.list(of, 'moduleVersions', body, {}, (version) => versions.push(version))
      return versions
    },
  })
  const infos = createDocuments<ModuleInfo>({ ...common, read: readInfo })
  const rewritten = createRewriteCache({ memoryBytes, judgedMs, now })
  const database = createChecksumDatabase({ ...common, known: sumdb })
  const times = createPublishTimes(async (upstream, module, version) => {
    const info = await infoAt(upstream, `${escapedModule(module)}/@v/${escapedModule(version)}.info`)
    return info?.time
  })

  function answer(request: RegistryRequest): Promise<RegistryResponse> {
    const route = goRoute(request.path)
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      throw new Fault('method_not_allowed', 'Modules can be fetched here, not published.', { allow: ['GET'] })
    }
    if (route.kind === 'list') return list(request, route.module)
    if (route.kind === 'latest') return latest(request, route.module)
    if (route.kind === 'info') return info(request, route)
    if (route.kind === 'mod' || route.kind === 'zip') return file(request, route)
    if (route.kind === 'sumdb') return passChecksums(request, route)
    throw new Fault('not_found', 'The malware firewall knows no such path of a module proxy.')
  }

  function upstreamsFor({ deploymentId }: Actor, module: string): Promise<Upstream[]> {
    const has = async (upstream: Upstream) =>
      ((await listAt(upstream, module))?.content.length ?? 0) > 0 || (await latestAt(upstream, module)) !== undefined
    return ownership.sourcesOf({ deploymentId, ecosystem: 'gomod', name: module, choose: (all) => all, has })
  }

  function listAt(upstream: Upstream, module: string): Promise<Document<string[]> | undefined> {
    const ask = { freshMs: upstream.freshMs, fetch: fetchList(upstream, module) }
    return lists.get(keyOf(upstream, `${escapedModule(module)}/@v/list`), ask)
  }

  function fetchList(upstream: Upstream, module: string) {
    const url = `${upstream.url}${escapedModule(module)}/@v/list`
    return (known: object) => fetchDocument(upstream, url, 'text/plain, */*', known)
  }

  function latestAt(upstream: Upstream, module: string): Promise<ModuleInfo | undefined> {
    return infoAt(upstream, `${escapedModule(module)}/@latest`, upstream.freshMs)
  }

  async function infoAt(upstream: Upstream, path: string, freshMs = releaseFreshMs): Promise<ModuleInfo | undefined> {
    const fetch = (known: object) => fetchDocument(upstream, upstream.url + path, 'application/json, */*', known)
    return (await infos.get(keyOf(upstream, path), { freshMs, fetch }))?.content
  }

  /** What the first registry that has it says of a version, or of what one is looked up by. */
  async function find(actor: Actor, module: string, version: string): Promise<FoundInfo | undefined> {
    const path = `${escapedModule(module)}/@v/${escapedModule(version)}.info`
    for (const upstream of await upstreamsFor(actor, module)) {
      const found = await infoAt(upstream, path, isCanonical(version) ? releaseFreshMs : upstream.freshMs)
      if (!found) continue
      await ownership.learn(actor, 'gomod', module, upstream)
      return { upstream, info: found }
    }
    return undefined
  }

  async function list(request: RegistryRequest, module: string): Promise<RegistryResponse> {
    const { actor } = request
    await releaseCheck.admitName(request, module)
    for (const upstream of await upstreamsFor(actor, module)) {
      const document = await listAt(upstream, module)
      if (!document) continue
      if (document.content.length > 0) await ownership.learn(actor, 'gomod', module, upstream)
      return respondWithDocument(request, await allowedList(request, upstream, module, document))
    }
    throw await releaseCheck.missing(request, module)
  }

  async function allowedList(
    request: RegistryRequest,
    upstream: Upstream,
    module: string,
    { stamp, content: versions, load }: Document<string[]>,
  ) {
    const { actor } = request
    const key = `${releaseCheck.audience(actor, module)} ${upstream.partition} ${module}`
    const known = rewritten.peek(key, stamp)
    if (known) return known
    const { refused, timeOf } = await refusedIn(actor, upstream, module, versions)
    if (refused.size > 0 && refused.size === versions.length) {
      const version = newestOf(versions)!
      const release = { name: module, version, publishedAt: timeOf(version) }
      throw await releaseCheck.refuse(
        request,
        release,
        releaseCheck.judge(actor, release),
        'No other version of it may pass either.',
      )
    }
    const make = async () => {
      const bytes = (await load()) ?? bytesOf(await fetchList(upstream, module)({}))
      const given = { refused: [...refused] }
      const body = await threads.write(ownerOf(upstream.partition), 'moduleVersionsWithout', bytes, given)
      return { headers: { 'content-type': 'text/plain; charset=utf-8' }, body }
    }
    return rewritten.get({ key, stamps: [stamp], refused, make })
  }

  async function refusedIn(actor: Actor, upstream: Upstream, module: string, versions: readonly string[]) {
    const breath = createYield()
    const unsure: string[] = []
    for (const version of versions) {
      const pause = breath()
      if (pause) await pause
      const release = { name: module, version }
      if (releaseCheck.hangsOnDetails(actor, release, releaseCheck.judge(actor, release))) unsure.push(version)
    }
    const published = await times.ofAll(upstream, module, unsure)
    const timeOf = (version: string) => published.get(version)
    const refused = new Set<string>()
    for (const version of versions) {
      const pause = breath()
      if (pause) await pause
      if (releaseCheck.judge(actor, { name: module, version, publishedAt: timeOf(version) }).refuse)
        refused.add(version)
    }
    return { refused, timeOf }
  }

  /** The newest that may pass. */
  async function latest(request: RegistryRequest, module: string): Promise<RegistryResponse> {
    const { actor } = request
    await releaseCheck.admitName(request, module)
    for (const upstream of await upstreamsFor(actor, module)) {
      const found = await latestAt(upstream, module)
      // A proxy need not have it (Go Modules Reference, `$module/@latest`): that says nothing about the module.
      if (!found && ((await listAt(upstream, module))?.content.length ?? 0) > 0) throw notThere(`${module}@latest`)
      if (!found) continue
      await ownership.learn(actor, 'gomod', module, upstream)
      const release = releaseOf(module, found)
      const verdict = releaseCheck.judge(actor, release)
      if (!verdict.refuse) return json(found.text)
      const allowed = await newestAllowed(actor, upstream, module)
      if (allowed) return json(allowed.text)
      throw await releaseCheck.refuse(request, release, verdict)
    }
    throw await releaseCheck.missing(request, module)
  }

  async function newestAllowed(actor: Actor, upstream: Upstream, module: string): Promise<ModuleInfo | undefined> {
    const versions = (await listAt(upstream, module))?.content ?? []
    const { refused } = await refusedIn(actor, upstream, module, versions)
    const newest = newestOf(versions.filter((version) => !refused.has(version)))
    if (newest === undefined) return undefined
    return infoAt(upstream, `${escapedModule(module)}/@v/${escapedModule(newest)}.info`)
  }

  async function info(
    request: RegistryRequest,
    { module, version }: { module: string; version: string },
  ): Promise<RegistryResponse> {
    const { actor } = request
    if (isCanonical(version)) {
      await releaseCheck.prepare(actor, module)
      const asked = releaseCheck.judge(actor, { name: module, version })
      if (releaseCheck.isRefusedAnyway(asked))
        throw await releaseCheck.refuse(request, { name: module, version }, asked)
    } else await releaseCheck.admitName(request, module)
    const found = await find(actor, module, version)
    if (!found) throw notThere(`${module}@${version}`)
    const release = releaseOf(module, found.info)
    const verdict = releaseCheck.judge(actor, release)
    if (verdict.refuse) throw await releaseCheck.refuse(request, release, verdict)
    return json(found.info.text)
  }

  async function file(request: RegistryRequest, { kind, module, version }: FileRoute): Promise<RegistryResponse> {
    const { actor } = request
    const asked = { name: module, version }
    if (kind === 'mod') await admitMod(request, asked)
    else {
      await releaseCheck.prepare(actor, module)
      const verdict = releaseCheck.judge(actor, asked)
      if (releaseCheck.isRefusedAnyway(verdict)) throw await releaseCheck.refuse(request, asked, verdict)
    }
    const found = await find(actor, module, version)
    if (!found) throw await missingFile(request, asked)
    const release = { ...asked, publishedAt: found.info.time }
    const verdict = releaseCheck.judge(actor, release)
    if (kind === 'zip' && verdict.refuse) throw await releaseCheck.refuse(request, release, verdict)
    const path = `${escapedModule(module)}/@v/${escapedModule(version)}.${kind}`
    const { upstream } = found
    const digest = await digestFor(actor, upstream, release, kind, path)
    const artifact =
      digest &&
      (await source.get({ upstream, url: new URL(upstream.url + path), digest, what: path }, request.reassure))
    if (!digest || !artifact) throw notThere(path)
    if (kind === 'zip' && request.method === 'GET') await releaseCheck.noteAllowed(request, release, verdict)
    return answerArtifact(request, artifact, digest, kind === 'zip' ? 'application/zip' : 'text/plain; charset=utf-8')
  }

  /**
   * A build reads the go.mod of versions that it does not use, because a newer one is wanted elsewhere. So that of a refused version
   * passes, since it runs nothing; not where every version is refused, nor where there is no verdict at all.
   */
  async function admitMod(request: RegistryRequest, release: Release): Promise<void> {
    await releaseCheck.admitName(request, release.name)
    const verdict = releaseCheck.judge(request.actor, { ...release, publishedAt: longAgo })
    if (verdict.decision === 'undetermined' && verdict.refuse)
      throw await releaseCheck.refuse(request, release, verdict)
  }

  /** Registries take malware away: what is refused is refused, and not just missing. */
  async function missingFile(request: RegistryRequest, release: Release): Promise<Fault> {
    const verdict = releaseCheck.judge(request.actor, release)
    if (releaseCheck.isRefusedAnyway(verdict)) return releaseCheck.refuse(request, release, verdict)
    return notThere(`${release.name}@${release.version}`)
  }

  /** A registry of the deployment's own is nothing that a public database may be asked about. */
  async function digestFor(
    actor: Actor,
    upstream: Upstream,
    { name, version }: Release,
    kind: 'mod' | 'zip',
    path: string,
  ): Promise<Digest | undefined> {
    if (sumdb === undefined || !upstream.isPublic) {
      return firstSeen.digestOf(actor, upstream, path, kind === 'zip' ? 'h1' : 'h1mod')
    }
    const sums = await database.sumsOf(upstream, sumdb, name, version)
    return requireDigest(upstream, sums?.[kind], `${name}@${version}, by ${sumdb}`)
  }

  /** Of modules that belong to a registry of the deployment nobody else is told. */
  async function passChecksums(
    request: RegistryRequest,
    { database: name, path, module }: Extract<GoRoute, { kind: 'sumdb' }>,
  ): Promise<RegistryResponse> {
    const { actor } = request
    // Otherwise the go command would ask the database itself, also for what is private.
    if (path === 'supported' && name === sumdb) {
      return { status: 200, headers: { 'cache-control': 'private, no-cache' }, body: '' }
    }
    if (module !== undefined) await releaseCheck.admitName(request, module)
    const upstream = module === undefined ? await publicUpstream(actor) : (await upstreamsFor(actor, module))[0]
    const found = upstream?.isPublic ? await database.pass(upstream, name, path) : undefined
    if (found) return found
    const advice = 'List modules of your own in GONOSUMDB.'
    throw new Fault('not_found', `The checksum database does not know ${module ?? path}. ${advice}`)
  }

  async function publication(actor: Actor, name: string, version: string): Promise<Publication | undefined> {
    if (!isModule(name) || !isCanonical(version)) return undefined
    const found = await find(actor, name, version)
    return found && { publishedAt: found.info.time }
  }

  const front: RegistryAdapter = { path: '/firewall/:deploymentId/go', plainRefusals: true, answer }
  const settle = async () => void (await Promise.all([lists.settle(), infos.settle(), database.settle()]))
  return { front, publication, settle }
}

function releaseOf(module: string, { version, time }: ModuleInfo): Release {
  return { name: module, version, publishedAt: time }
}

function keyOf({ partition }: Upstream, path: string): string {
  return `go ${partition} ${path}`
}

function json(body: string): RegistryResponse {
  return { status: 200, headers: { 'content-type': 'application/json', 'cache-control': 'private, no-cache' }, body }
}
