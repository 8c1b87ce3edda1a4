import type { Readable } from 'node:stream'
import type { RegistryRequest, RegistryResponse } from '../kernel/contract/adapters/registry-adapter.ts'
import { Fault } from '../kernel/contract/fault.ts'
import { matchesEtag } from '../kernel/contract/if-none-match.ts'
import { rangeIn } from './byte-range.ts'
import type { Artifact, Artifacts, Incoming } from './cache/artifacts.ts'
import type { Digest, ModuleAlgorithm } from './cache/digest.ts'
import { MadeWay } from './cache/room-queue.ts'
import { createSingleFlight } from './cache/single-flight.ts'
import type { StoredArtifacts } from './cache/stored-artifacts.ts'
import { bad, fetchArtifact, guarded, type Upstream } from './upstream/upstream.ts'

export type ArtifactRequest = { upstream: Upstream; url: URL; digest: Digest; what: string }

export type ArtifactSource = ReturnType<typeof createArtifactSource>

/** Artifacts from the cache, or else from their upstream by way of it: nothing is handed out that was not verified whole. */
export function createArtifactSource(artifacts: Artifacts, maxBytes: number, stored?: StoredArtifacts) {
  const once = createSingleFlight<'disk' | 'store' | 'upstream'>()
  const counts = { memory: 0, disk: 0, store: 0, upstream: 0 }

  /** From memory, where it costs nothing to have. */
  function peek({ partition }: Upstream, digest: Digest): Artifact | undefined {
    const content = artifacts.peek(partition, digest)
    if (!content) return undefined
    counts.memory++
    return { bytes: content.length, content }
  }

  async function get(wanted: ArtifactRequest, onWait: () => void): Promise<Artifact | undefined> {
    const { upstream, digest } = wanted
    const here = peek(upstream, digest)
    if (here) return here
    const known = await artifacts.find(upstream.partition, digest)
    if (known) {
      counts.disk++
      return known
    }
    onWait()
    const key = `${upstream.partition} ${digest.algorithm} ${digest.hex}`
    let own: Artifact | undefined
    const from = await once(key, async () => {
      // Looked for again: another flight may have ended since.
      own = await artifacts.find(upstream.partition, digest)
      if (own) return 'disk'
      own = await stored?.find({ partition: upstream.partition, digest }, wanted.what)
      if (own) return 'store'
      own = await take(wanted)
      return 'upstream'
    })
    counts[from]++
    // Whoever only waited gets an open file of their own.
    return own ?? (await artifacts.find(upstream.partition, digest))
  }

  async function take({ upstream, url, digest, what }: ArtifactRequest): Promise<Artifact | undefined> {
    const { partition } = upstream
    const received = await fetched(upstream, url, true, (incoming) =>
      artifacts.receive(partition, digest, incoming, what),
    )
    if (received) stored?.keep({ partition, digest })
    return received
  }

  /** What nobody publishes a digest of: taken in, and answered with the digest that it has. */
  async function accept(wanted: Omit<ArtifactRequest, 'digest'> & { algorithm: ModuleAlgorithm }) {
    const { upstream, url, algorithm, what } = wanted
    const { partition } = upstream
    const digest = await fetched(upstream, url, false, (incoming) =>
      artifacts.accept(partition, algorithm, incoming, what),
    )
    if (digest) stored?.keep({ partition, digest })
    return digest
  }

  /**
   * One whose registry does not say how long it is may have to make way for others. It then begins again, when there is room for
   * twice as much as it had.
   */
  async function fetched<T>(
    upstream: Upstream,
    url: URL,
    hasDigest: boolean,
    receive: (incoming: Incoming) => Promise<T>,
    atLeast = 0,
  ): Promise<T | undefined> {
    const incoming = await fetchArtifact(upstream, url, maxBytes, hasDigest)
    if (!incoming) return undefined
    const expectedBytes = incoming.expectedBytes ?? atLeast
    try {
      return await guarded(upstream, () => receive({ ...incoming, expectedBytes }))
    } catch (error) {
      if (incoming.expectedBytes !== undefined || !(error instanceof MadeWay) || error.bytes <= atLeast / 2) throw error
      return fetched(upstream, url, hasDigest, receive, 2 * error.bytes)
    }
  }

  return { peek, get, accept, counts: () => counts }
}

/** Published without a hash there is nothing to verify it by, so it cannot pass. */
export function requireDigest(upstream: Upstream, digest: Digest | undefined, what: string): Digest {
  if (digest) return digest
  throw bad(upstream, `publishes no hash for ${what}, so it cannot be verified.`)
}

/** Where an artifact lies, as its registry wrote it. */
export function artifactUrl(upstream: Upstream, address: string): URL {
  const url = URL.parse(address, upstream.url)
  if (!url || !/^https?:$/.test(url.protocol))
    throw bad(upstream, 'gives an address for this artifact that cannot be read.')
  return url
}

export function answerArtifact(
  request: RegistryRequest,
  artifact: Artifact,
  { hex }: Digest,
  contentType: string,
): RegistryResponse {
  const { bytes } = artifact
  const etag = `"${hex.slice(0, 40)}"`
  const common = { 'content-type': contentType, etag, 'cache-control': 'private, no-cache', 'accept-ranges': 'bytes' }
  if (matchesEtag(request.headers['if-none-match'], etag)) return bare(artifact, 304, common)
  const range = rangeIn(request, etag, bytes)
  if (range === 'unsatisfiable') return bare(artifact, 416, { ...common, 'content-range': `bytes */${bytes}` })
  const { start, end } = range ?? { start: 0, end: bytes - 1 }
  const headers = { ...common, 'content-length': String(end + 1 - start) }
  const body = bodyOf(artifact, start, end)
  if (!range) return { status: 200, headers, body }
  return { status: 206, headers: { ...headers, 'content-range': `bytes ${start}-${end}/${bytes}` }, body }
}

function bodyOf(artifact: Artifact, start: number, end: number): Buffer | Readable {
  if ('content' in artifact) return artifact.content.subarray(start, end + 1)
  return artifact.file.createReadStream({ start, end, highWaterMark: 256 * 1024 })
}

function bare(artifact: Artifact, status: number, headers: Record<string, string>): RegistryResponse {
  void closeArtifact(artifact)
  return { status, headers, body: '' }
}

/** Where nobody reads it. Never fails. */
export async function closeArtifact(artifact: Artifact): Promise<void> {
  if ('file' in artifact) await artifact.file.close().catch(() => {})
}

export function notThere(what: string): Fault {
  return new Fault('not_found', `${what} is not in its registry.`)
}
