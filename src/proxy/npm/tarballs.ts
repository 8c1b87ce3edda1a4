import type { Verdict } from '../../capabilities/firewall/verdicts/verdict.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import type { ArchiveCheck, EarlierRelease } from '../archives/archive-check.ts'
import {
  type ArtifactRequest,
  type ArtifactSource,
  artifactUrl,
  closeArtifact,
  notThere,
  requireDigest,
} from '../artifact-source.ts'
import type { Publication } from '../asked-verdict.ts'
import type { Artifact } from '../cache/artifacts.ts'
import type { Release, ReleaseCheck } from '../release-check.ts'
import type { Upstream } from '../upstream/upstream.ts'
import type { FoundRelease, NpmMetadata } from './metadata.ts'

export type NpmTarballs = ReturnType<typeof createNpmTarballs>

type Parts = { metadata: NpmMetadata; source: ArtifactSource; archives: ArchiveCheck; releaseCheck: ReleaseCheck }

/** Tarballs of versions, and what is in them where a verdict hangs on that. */
export function createNpmTarballs({ metadata, source, archives, releaseCheck }: Parts) {
  function fetch(found: FoundRelease, onWait: () => void): Promise<Artifact> | Artifact {
    const { digest } = found.version
    // Most are here already, and nobody asks where they came from.
    return (digest && source.peek(found.upstream, digest)) ?? obtain(wantedOf(found), onWait)
  }

  async function obtain(wanted: ArtifactRequest, onWait: () => void): Promise<Artifact> {
    const artifact = await source.get(wanted, onWait)
    if (!artifact) throw notThere(wanted.what)
    return artifact
  }

  /** The verdict once the tarball is here. Closes it where it cannot be given. */
  function judge(
    actor: Actor,
    found: FoundRelease,
    release: Release,
    verdict: Verdict,
    artifact: Artifact,
  ): Promise<Verdict> | Verdict {
    return verdict.lacks === 'archive' ? judgeArchive(actor, found, release, verdict, artifact) : verdict
  }

  async function judgeArchive(
    actor: Actor,
    { upstream }: FoundRelease,
    release: Release,
    verdict: Verdict,
    artifact: Artifact,
  ): Promise<Verdict> {
    const { name, facts } = release
    const earlier = () => Promise.all((facts?.before ?? []).map((version) => earlierRelease(actor, name, version)))
    const look = () => archives.look(artifact, { kind: 'tarball', partition: upstream.partition, facts, earlier })
    try {
      return await releaseCheck.judgeArchive(actor, release, verdict, look)
    } catch (error) {
      await closeArtifact(artifact)
      throw error
    }
  }

  async function earlierRelease(actor: Actor, name: string, version: string): Promise<EarlierRelease> {
    const found = await metadata.release(actor, name, version)
    return { version, facts: found?.release.facts, artifact: found?.version.digest && wantedOf(found) }
  }

  /** What its registry says of a version, and, where the verdict hangs on it, what its tarball shows. */
  async function publication(actor: Actor, name: string, version: string): Promise<Publication | undefined> {
    const published = await metadata.publication(actor, name, version)
    if (!published) return undefined
    const release = { name, version, ...published }
    const verdict = releaseCheck.judge(actor, release)
    const found = verdict.lacks === 'archive' ? await metadata.release(actor, name, version) : undefined
    if (!found) return published
    const artifact = await fetch(found, () => {})
    await judge(actor, found, release, verdict, artifact)
    await closeArtifact(artifact)
    return published
  }

  return { fetch, judge, publication }
}

function wantedOf({ upstream, release: { name, version }, version: known }: FoundRelease): ArtifactRequest {
  const what = `${name}@${version}`
  const digest = requireDigest(upstream, known.digest, what)
  return { upstream, url: tarballUrl(upstream, known.tarball), digest, what }
}

/** Mirrors often leave the addresses of the public registry in; npm asks the mirror all the same, and so do we. */
function tarballUrl(upstream: Upstream, address: string): URL {
  const url = artifactUrl(upstream, address)
  const own = new URL(upstream.url)
  if (url.hostname !== 'registry.npmjs.org' || own.hostname === url.hostname) return url
  return new URL(own.pathname.replace(/\/$/, '') + url.pathname, own)
}
