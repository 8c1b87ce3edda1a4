import type { Actor } from '../../kernel/access/actor.ts'
import type {
  RegistryAdapter,
  RegistryRequest,
  RegistryResponse,
} from '../../kernel/contract/adapters/registry-adapter.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { createYield } from '../../kernel/threads/event-loop-yield.ts'
import { type ArtifactSource, answerArtifact, artifactUrl, notThere, requireDigest } from '../artifact-source.ts'
import type { Publication } from '../asked-verdict.ts'
import { digestOf } from '../cache/digest.ts'
import type { Disk } from '../cache/disk.ts'
import { bytesOf, createDocuments, type Document } from '../cache/documents.ts'
import type { Ownership } from '../dependency-confusion/name-ownership.ts'
import type { ReleaseCheck } from '../release-check.ts'
import { createRewriteCache, respondWithDocument } from '../rewrite-cache.ts'
import type { Threads } from '../threads/threads.ts'
import { ownerOf } from '../upstream/collect-body.ts'
import { bad, fetchDocument, type Upstream } from '../upstream/upstream.ts'
import type { CrateVersion } from './crate-index.ts'
import { downloadAddress, downloadTemplate } from './download-address.ts'
import { cargoRoute, indexPath, isCrate } from './route.ts'

export type CargoAdapterOptions = {
  threads: Threads
  ownership: Ownership
  releaseCheck: ReleaseCheck
  source: ArtifactSource
  disk: Disk
  judgedMs: number
  patienceMs: number
  now(): number
}

/** Versions of a crate by their numbers, in the order of the index, and the crate as it is spelled there. */
type Crate = { name: string; versions: Map<string, CrateVersion> }
type FoundCrate = { upstream: Upstream; document: Document<Crate> }

const memoryBytes = 32 * 1024 * 1024
/** What was released stays what it is; that it was taken back is noticed after this long. */
const releaseFreshMs = 10 * 60_000
const retryFreshMs = 1_000

/** A sparse registry as Cargo reads it (the Cargo Book, Registry Index). */
export function createCargoAdapter({
  threads,
  ownership,
  releaseCheck,
  source,
  disk,
  judgedMs,
  patienceMs,
  now,
}: CargoAdapterOptions) {
  const common = { disk, memoryBytes, patienceMs, now }
  const crates = createDocuments<Crate>({
    ...common,
    async read(body, _type, key) {
      const [, partition = '', asked = ''] = key.split(' ')
      const versions = new Map<string, CrateVersion>()
      const onRow = (row: CrateVersion) => versions.set(row.version, row)
      await threads.list(ownerOf(partition), 'crateIndex', body, { name: asked }, onRow)
      return { name: [...versions.values()].at(-1)!.name, versions }
    },
  })
  const templates = createDocuments<string>({ ...common, read: downloadTemplate })
  const rewritten = createRewriteCache({ memoryBytes, judgedMs, now })

  function answer(request: RegistryRequest): Promise<RegistryResponse> | RegistryResponse {
    const route = cargoRoute(request.path)
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      throw new Fault('method_not_allowed', 'Crates can be fetched here, not published.', { allow: ['GET'] })
    }
    if (route.kind === 'config') return config(request)
    if (route.kind === 'index') return index(request, route.name)
    if (route.kind === 'download') return download(request, route)
    throw new Fault('not_found', 'The malware firewall knows no such path of a Cargo registry.')
  }

  /** Without an address of its API: nothing is published or searched through here. */
  function config({ base }: RegistryRequest): RegistryResponse {
    const body = JSON.stringify({ dl: `${base}/api/v1/crates/{crate}/{version}/download`, 'auth-required': true })
    return { status: 200, headers: { 'content-type': 'application/json', 'cache-control': 'private, no-cache' }, body }
  }

  function upstreamsFor({ deploymentId }: Actor, name: string): Promise<Upstream[]> {
    const has = async (upstream: Upstream) => (await crateAt(upstream, name)) !== undefined
    return ownership.sourcesOf({ deploymentId, ecosystem: 'cargo', name, choose: (all) => all, has })
  }

  function crateAt(
    upstream: Upstream,
    name: string,
    freshMs = Number.POSITIVE_INFINITY,
  ): Promise<Document<Crate> | undefined> {
    const ask = { freshMs: Math.min(freshMs, upstream.freshMs), fetch: fetchFrom(upstream, name) }
    return crates.get(keyOf(upstream, name), ask)
  }

  function fetchFrom(upstream: Upstream, name: string) {
    return (known: object) => fetchDocument(upstream, upstream.url + indexPath(name), 'text/plain, */*', known)
  }

  async function find(actor: Actor, name: string, freshMs?: number): Promise<FoundCrate | undefined> {
    for (const upstream of await upstreamsFor(actor, name)) {
      const document = await crateAt(upstream, name, freshMs)
      if (!document) continue
      await ownership.learn(actor, 'cargo', name, upstream)
      return { upstream, document }
    }
    return undefined
  }

  async function index(request: RegistryRequest, asked: string): Promise<RegistryResponse> {
    const { actor } = request
    await releaseCheck.admitName(request, asked)
    const found = await find(actor, asked)
    if (!found) throw await releaseCheck.missing(request, asked)
    const { upstream, document } = found
    const { stamp, content, load } = document
    // Advisories name it as it was published, and the path has it in lower case.
    if (content.name !== asked) await releaseCheck.admitName(request, content.name)
    const key = `${releaseCheck.audience(actor, content.name)} ${upstream.partition} ${asked}`
    const known = rewritten.peek(key, stamp)
    if (known) return respondWithDocument(request, known)
    const refused = await refusedIn(actor, content)
    if (refused.size === content.versions.size) throw await refuseWhole(request, content)
    const make = async () => {
      const bytes = (await load()) ?? bytesOf(await fetchFrom(upstream, asked)({}))
      const given = { name: asked, refused: [...refused] }
      const body = await threads.write(ownerOf(upstream.partition), 'crateIndexYanked', bytes, given)
      return { headers: { 'content-type': 'text/plain; charset=utf-8' }, body }
    }
    return respondWithDocument(request, await rewritten.get({ key, stamps: [stamp], refused, make }))
  }

  async function refusedIn(actor: Actor, { versions }: Crate): Promise<Set<string>> {
    const refused = new Set<string>()
    const breath = createYield()
    for (const release of versions.values()) {
      const pause = breath()
      if (pause) await pause
      if (releaseCheck.judge(actor, release).refuse) refused.add(release.version)
    }
    return refused
  }

  function refuseWhole(request: RegistryRequest, { versions }: Crate): Promise<Fault> {
    const release = [...versions.values()].at(-1)!
    const verdict = releaseCheck.judge(request.actor, release)
    return releaseCheck.refuse(request, release, verdict, 'No other version of it may pass either.')
  }

  async function download(
    request: RegistryRequest,
    { name, version }: { name: string; version: string },
  ): Promise<RegistryResponse> {
    const { actor } = request
    await releaseCheck.prepare(actor, name)
    const asked = releaseCheck.judge(actor, { name, version })
    if (releaseCheck.isRefusedAnyway(asked)) throw await releaseCheck.refuse(request, { name, version }, asked)
    const found = await release(actor, name, version)
    if (!found) throw notThere(`${name}@${version}`)
    const { upstream, crate } = found
    if (crate.name !== name) await releaseCheck.prepare(actor, crate.name)
    const verdict = releaseCheck.judge(actor, crate)
    if (verdict.refuse) throw await releaseCheck.refuse(request, crate, verdict)
    const what = `${crate.name}@${version}`
    const digest = requireDigest(upstream, digestOf('sha256', crate.cksum), what)
    const url = artifactUrl(upstream, downloadAddress(await templateOf(upstream), crate))
    const artifact = await source.get({ upstream, url, digest, what }, request.reassure)
    if (!artifact) throw notThere(what)
    if (request.method === 'GET') await releaseCheck.noteAllowed(request, crate, verdict)
    return answerArtifact(request, artifact, digest, 'application/gzip')
  }

  /** One version, asked for again where it is not in what is known: it may have been published just now. */
  async function release(actor: Actor, name: string, version: string) {
    const [upstream] = await upstreamsFor(actor, name)
    const known = upstream && crates.peek(keyOf(upstream, name), releaseFreshMs)?.content.versions.get(version)
    if (upstream && known) return { upstream, crate: known }
    for (const freshMs of [Number.POSITIVE_INFINITY, retryFreshMs]) {
      const found = await find(actor, name, freshMs)
      if (!found) return undefined
      const crate = found.document.content.versions.get(version)
      if (crate) return { upstream: found.upstream, crate }
    }
    return undefined
  }

  async function templateOf(upstream: Upstream): Promise<string> {
    const fetch = (known: object) => fetchDocument(upstream, `${upstream.url}config.json`, 'application/json', known)
    const found = await templates.get(`cargo ${upstream.partition} config.json`, { freshMs: releaseFreshMs, fetch })
    if (!found) throw bad(upstream, 'has no config.json, so nobody knows where its crates are.')
    return found.content
  }

  async function publication(actor: Actor, name: string, version: string): Promise<Publication | undefined> {
    if (!isCrate(name)) return undefined
    const found = await release(actor, name, version)
    return found && { publishedAt: found.crate.publishedAt }
  }

  const front: RegistryAdapter = { path: '/firewall/:deploymentId/cargo', plainRefusals: true, answer }
  const settle = async () => void (await Promise.all([crates.settle(), templates.settle()]))
  return { front, publication, settle }
}

function keyOf({ partition }: Upstream, name: string): string {
  return `cargo ${partition} ${name.toLowerCase()}`
}
