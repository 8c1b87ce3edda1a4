import type { Readable } from 'node:stream'
import { Fault } from '../kernel/fault.ts'
import type { FrontAnswer, FrontRequest } from '../kernel/front.ts'
import type { Artifact, Artifacts } from './cache/artifacts.ts'
import type { Digest } from './cache/digest.ts'
import { createSingleFlight } from './cache/single-flight.ts'
import { hasTag } from './rewritten.ts'
import { bad, fetchArtifact, guarded, type Upstream } from './upstream/upstream.ts'

export type Wanted = { upstream: Upstream; url: URL; digest: Digest; what: string }

export type ArtifactSource = ReturnType<typeof createArtifactSource>

/** Artifacts from the cache, or else from their upstream by way of it: nothing is handed out that was not verified whole. */
export function createArtifactSource(artifacts: Artifacts, maxBytes: number) {
  const once = createSingleFlight<void>()

  async function get(wanted: Wanted, onWait: () => void): Promise<Artifact | undefined> {
    const { upstream, digest } = wanted
    const content = artifacts.peek(upstream.partition, digest)
    if (content) return { bytes: content.length, content }
    const known = await artifacts.find(upstream.partition, digest)
    if (known) return known
    onWait()
    const key = `${upstream.partition} ${digest.algorithm} ${digest.hex}`
    let own: Artifact | undefined
    await once(key, async () => {
      // Looked for again: another flight may have ended since.
      own = (await artifacts.find(upstream.partition, digest)) ?? (await take(wanted))
    })
    // Whoever only waited gets an open file of their own.
    return own ?? artifacts.find(upstream.partition, digest)
  }

  async function take({ upstream, url, digest, what }: Wanted): Promise<Artifact | undefined> {
    const body = await fetchArtifact(upstream, url, maxBytes)
    if (!body) return undefined
    return guarded(upstream, () => artifacts.receive(upstream.partition, digest, body, what))
  }

  return { get }
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
  { headers }: FrontRequest,
  artifact: Artifact,
  { hex }: Digest,
  contentType: string,
): FrontAnswer {
  const etag = `"${hex.slice(0, 40)}"`
  const common = { 'content-type': contentType, etag, 'cache-control': 'private, no-cache' }
  const isKnown = hasTag(headers['if-none-match'], etag)
  const body: Buffer | Readable =
    'content' in artifact ? artifact.content : artifact.file.createReadStream({ start: 0, highWaterMark: 256 * 1024 })
  if (!isKnown) return { status: 200, headers: { ...common, 'content-length': String(artifact.bytes) }, body }
  if ('file' in artifact) (body as Readable).destroy()
  return { status: 304, headers: common, body: '' }
}

export function notThere(what: string): Fault {
  return new Fault('not_found', `${what} is not in its registry.`)
}
