import type { ReleaseDetails, Verdict } from '../../capabilities/firewall/verdicts/verdict.ts'
import { maven } from '../../ecosystems/maven/ecosystem.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import type {
  RegistryAdapter,
  RegistryRequest,
  RegistryResponse,
} from '../../kernel/contract/adapters/registry-adapter.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { createYield } from '../../kernel/threads/event-loop-yield.ts'
import { type ArtifactSource, answerArtifact, notThere } from '../artifact-source.ts'
import type { Digest } from '../cache/digest.ts'
import { digestInSteps } from '../cache/digest-in-steps.ts'
import type { Disk } from '../cache/disk.ts'
import { bytesOf, createDocuments, type Document } from '../cache/documents.ts'
import type { Ownership } from '../dependency-confusion/name-ownership.ts'
import { createPublishTimes } from '../publish-times.ts'
import type { Release, ReleaseCheck } from '../release-check.ts'
import { createRewriteCache, respondWithDocument } from '../rewrite-cache.ts'
import type { Threads } from '../threads/threads.ts'
import { ownerOf } from '../upstream/collect-body.ts'
import type { OpenRegistry } from '../upstream/registries.ts'
import { bad, exists, lastModified, type Upstream } from '../upstream/upstream.ts'
import { fetchChecked, fetchChecksum } from './checked-document.ts'
import { type Algorithm, checksumAlgorithms, readChecksum } from './checksum.ts'
import type { MavenMetadata } from './metadata.ts'
import { type MavenRoute, mavenRoute } from './route.ts'
import { isSignature, readSignature } from './signature.ts'
import { ageless, buildOf, builtAt, isSnapshot, laterOf, metadataBeside } from './snapshot.ts'

export type MavenAdapterOptions = {
  threads: Threads
  ownership: Ownership
  releaseCheck: ReleaseCheck
  source: ArtifactSource
  disk: Disk
  judgedMs: number
  patienceMs: number
  now(): number
}

type MavenVersions = Omit<MavenMetadata, 'text'>
type FileRoute = Extract<MavenRoute, { kind: 'file' }>
type MetadataRoute = Extract<MavenRoute, { kind: 'metadata' }>
type JudgedVersions = { refused: Set<string>; timeOf(version: string): Date | undefined }
type LocatedArtifact = { upstream: Upstream; digest: Digest }
type LocatedSignature = { upstream: Upstream; signature: Buffer }

const noneRefused: JudgedVersions = { refused: new Set(), timeOf: () => undefined }
const memoryBytes = 32 * 1024 * 1024
/** What was released stays what it is; that it was taken back is noticed after this long. */
const releaseFreshMs = 10 * 60_000

/** A Maven repository as Maven and Gradle read it. */
export function createMavenAdapter({
  threads,
  ownership,
  releaseCheck,
  source,
  disk,
  judgedMs,
  patienceMs,
  now,
}: MavenAdapterOptions) {
  const common = { disk, memoryBytes, patienceMs, now }
  const metadatas = createDocuments<MavenVersions>({
    ...common,
    async read(body, _type, key) {
      const versions: string[] = []
      const of = ownerOf(key.split(' ')[1]!)
      const { updatedAt } = await threads.list(of, 'mavenMetadata', body, {}, (version) => versions.push(version))
      return { versions, updatedAt }
    },
  })
  const checksums = createDocuments<Digest>({
    ...common,
    read: (body, _type, key) => readChecksum(body, key.slice(key.lastIndexOf('.') + 1) as Algorithm),
  })
  const signatures = createDocuments<Buffer>({ ...common, read: readSignature })
  const rewritten = createRewriteCache({ memoryBytes, judgedMs, now })
  const times = createPublishTimes(versionTime, isSnapshot)
  const builds = createPublishTimes(
    (upstream, _name, path) => snapshotTime(upstream, path),
    (path) => !builtAt(path),
  )

  function answer(request: RegistryRequest): Promise<RegistryResponse> {
    const route = mavenRoute(request.path)
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      throw new Fault('method_not_allowed', 'Packages can be fetched here, not published.', { allow: ['GET'] })
    }
    if (route.kind === 'metadata') return metadata(request, route)
    if (route.kind === 'file') return file(request, route)
    throw new Fault('not_found', 'The malware firewall knows no such path of a Maven repository.')
  }

  /** Who owns the name, for everything that is asked of it; of them, those that keep such files. */
  async function upstreamsFor({ deploymentId }: Actor, path: string, name: string): Promise<Upstream[]> {
    const choose = (registries: OpenRegistry[]) => registries
    const has = (upstream: Upstream) => hasName(upstream, path, name)
    // The metadata of a group and of an artifact look alike from outside.
    const alias = path.endsWith('.xml') ? `${name.replace(':', '.')}:` : undefined
    const sources = await ownership.sourcesOf({ deploymentId, ecosystem: 'maven', name, alias, choose, has })
    const unwanted = /-SNAPSHOT\//.test(path) ? 'MAVEN_REPOSITORY_TYPE_RELEASE' : 'MAVEN_REPOSITORY_TYPE_SNAPSHOT'
    return sources.filter(({ registry }) => path.endsWith('.xml') || registry?.repositoryType !== unwanted)
  }

  /** By its metadata, which tells of all versions; or by the file itself, where a repository has no metadata. */
  async function hasName(upstream: Upstream, path: string, name: string): Promise<boolean> {
    const [group = '', artifact = ''] = name.split(':')
    const folder = [...group.split('.'), artifact].filter(Boolean).join('/')
    if (await metadataAt(upstream, `${folder}/maven-metadata.xml`)) return true
    return path !== `${folder}/maven-metadata.xml` && exists(upstream, upstream.url + path)
  }

  function metadataAt(upstream: Upstream, path: string): Promise<Document<MavenVersions> | undefined> {
    const fetch = (known: object) => fetchChecked(upstream, path, known)
    return metadatas.get(`maven ${upstream.partition} ${path}`, { freshMs: upstream.freshMs, fetch })
  }

  async function metadata(
    request: RegistryRequest,
    { path, name, owned, checksum }: MetadataRoute,
  ): Promise<RegistryResponse> {
    const { actor } = request
    // That of a snapshot looks like that of a package, and belongs to another.
    if (name !== undefined) for (const each of new Set([owned, name])) await releaseCheck.admitName(request, each)
    for (const upstream of await upstreamsFor(actor, path, owned)) {
      const document = await metadataAt(upstream, path)
      if (!document) continue
      await ownership.learn(actor, 'maven', owned, upstream)
      const made = await seen(request, upstream, document, { path, name })
      return checksum ? checksumAnswer(made.plain, checksum) : respondWithDocument(request, made)
    }
    throw name === undefined ? notThere(path) : await releaseCheck.missing(request, name)
  }

  async function seen(
    request: RegistryRequest,
    upstream: Upstream,
    { stamp, content, load }: Document<MavenVersions>,
    { path, name }: { path: string; name: string | undefined },
  ) {
    const { actor } = request
    const audience = name === undefined ? actor.deploymentId : releaseCheck.audience(actor, name)
    const key = `${audience} ${upstream.partition} ${path}`
    const known = rewritten.peek(key, stamp)
    if (known) return known
    const judged = name === undefined ? noneRefused : await refusedIn(actor, upstream, name, content)
    const { refused } = judged
    if (name !== undefined && refused.size > 0 && refused.size === new Set(content.versions).size) {
      const version = content.versions.at(-1)!
      const release = { name, version, publishedAt: judged.timeOf(version) }
      throw await releaseCheck.refuse(
        request,
        release,
        releaseCheck.judge(actor, release),
        'No other version of it may pass either.',
      )
    }
    const headers = { 'content-type': 'application/xml' }
    const make = async () => {
      const bytes = (await load()) ?? bytesOf(await fetchChecked(upstream, path, {}))
      const given = { refused: [...refused] }
      return { headers, body: await threads.write(ownerOf(upstream.partition), 'mavenMetadataWithout', bytes, given) }
    }
    return rewritten.get({ key, stamps: [stamp], refused, make })
  }

  async function refusedIn(
    actor: Actor,
    upstream: Upstream,
    name: string,
    { versions, updatedAt }: MavenVersions,
  ): Promise<JudgedVersions> {
    const judged = (version: string, publishedAt?: Date) => releaseCheck.judge(actor, { name, version, publishedAt })
    const breath = createYield()
    const unsure: string[] = []
    for (const version of versions) {
      const pause = breath()
      if (pause) await pause
      const release = { name, version }
      // None is younger than the list it is in.
      if (releaseCheck.hangsOnDetails(actor, release, judged(version)) && judged(version, updatedAt).refuse)
        unsure.push(version)
    }
    const published = await times.ofAll(upstream, name, unsure)
    const isUnsure = new Set(unsure)
    const timeOf = (version: string) => (isUnsure.has(version) ? published.get(version) : updatedAt)
    const refused = new Set<string>()
    for (const version of versions) {
      const pause = breath()
      if (pause) await pause
      if (judged(version, timeOf(version)).refuse) refused.add(version)
    }
    return { refused, timeOf }
  }

  async function file(
    request: RegistryRequest,
    { path, name, version, checksum }: FileRoute,
  ): Promise<RegistryResponse> {
    const { actor, method } = request
    const build = buildOf(path)
    await releaseCheck.prepare(actor, name)
    const asked = judgeFile(actor, { name, version }, build)
    if (releaseCheck.isRefusedAnyway(asked)) throw await refuseFile(request, { name, version }, build, asked)
    const found = await find(actor, path, name)
    if (!found) throw notThere(path)
    const release = await withTime(actor, found.upstream, { name, version }, path)
    const verdict = judgeFile(actor, release, build)
    if (verdict.refuse) throw await refuseFile(request, release, build, verdict)
    if ('signature' in found) {
      if (checksum) return checksumAnswer(found.signature, checksum)
      if (method === 'GET') await releaseCheck.noteAllowed(request, release, verdict)
      return plain(found.signature)
    }
    if (checksum) return ownChecksum(found, path, checksum)
    const url = new URL(found.upstream.url + path)
    const artifact = await source.get({ ...found, url, what: path }, request.reassure)
    if (!artifact) throw notThere(path)
    if (method === 'GET') await releaseCheck.noteAllowed(request, release, verdict)
    return answerArtifact(request, artifact, found.digest, 'application/octet-stream')
  }

  /** A file of a build is judged by what is said of the build and of its snapshot. */
  function judgeFile(actor: Actor, release: Release, build: string | undefined): Verdict {
    return releaseCheck.judge(actor, build === undefined ? release : { ...release, version: build })
  }

  /** What refuses every build is told of the snapshot, as it is asked for in a build file. */
  function refuseFile(request: RegistryRequest, release: Release, build: string | undefined, verdict: Verdict) {
    const isOfBuild = build !== undefined && !releaseCheck.judge(request.actor, release).refuse
    const refused = isOfBuild ? { ...release, version: build } : release
    return releaseCheck.refuse(request, refused, verdict, whyAgeless(release, verdict))
  }

  async function withTime(actor: Actor, upstream: Upstream, release: Release, path: string): Promise<Release> {
    if (!releaseCheck.hangsOnDetails(actor, release, releaseCheck.judge(actor, release))) return release
    const { name, version } = release
    const published = isSnapshot(version) ? builds.of(upstream, name, path) : times.of(upstream, name, version)
    return { ...release, publishedAt: await published }
  }

  /** A Maven repository says it only of files, so that of the POM stands for its version. */
  function versionTime(upstream: Upstream, name: string, version: string): Promise<Date | undefined> {
    const pom = pomPath(name, version)
    return isSnapshot(version) ? snapshotTime(upstream, pom) : lastModified(upstream, upstream.url + pom)
  }

  /**
   * Each build of a snapshot has its time in its name; of a snapshot that is one file, the metadata beside it tells. Whoever
   * publishes writes both, so when the repository got the file counts where that is later.
   */
  async function snapshotTime(upstream: Upstream, path: string): Promise<Date | undefined> {
    const said = builtAt(path) ?? (await metadataAt(upstream, metadataBeside(path)))?.content.updatedAt
    return laterOf(said, await lastModified(upstream, upstream.url + path))
  }

  /** The owner's repository that has it, and what it says it hashes to; or the signature itself. */
  async function find(
    actor: Actor,
    path: string,
    name: string,
  ): Promise<LocatedArtifact | LocatedSignature | undefined> {
    for (const upstream of await upstreamsFor(actor, path, name)) {
      if (isSignature(path)) {
        const signature = await signatureAt(upstream, path)
        if (!signature) continue
        await ownership.learn(actor, 'maven', name, upstream)
        return { upstream, signature }
      }
      let isThere = false
      for (const algorithm of checksumAlgorithms) {
        const digest = await checksumOf(upstream, path, algorithm)
        if (digest) {
          await ownership.learn(actor, 'maven', name, upstream)
          return { upstream, digest }
        }
        if (!isThere && !(await exists(upstream, upstream.url + path))) break
        isThere = true
      }
      if (isThere) throw bad(upstream, `publishes no checksum for ${path}, so it cannot be verified.`)
    }
    return undefined
  }

  async function signatureAt(upstream: Upstream, path: string): Promise<Buffer | undefined> {
    const fetch = (known: object) => fetchChecked(upstream, path, known)
    const freshMs = freshFor(upstream, path)
    return (await signatures.get(`maven ${upstream.partition} ${path}`, { freshMs, fetch }))?.content
  }

  async function checksumOf(upstream: Upstream, path: string, algorithm: Algorithm): Promise<Digest | undefined> {
    const file = `${path}.${algorithm}`
    const fetch = (known: object) => fetchChecksum(upstream, file, known)
    const freshMs = freshFor(upstream, path)
    return (await checksums.get(`maven ${upstream.partition} ${file}`, { freshMs, fetch }))?.content
  }

  async function ownChecksum(
    { upstream, digest }: LocatedArtifact,
    path: string,
    algorithm: Algorithm,
  ): Promise<RegistryResponse> {
    const wanted = digest.algorithm === algorithm ? digest : await checksumOf(upstream, path, algorithm)
    if (!wanted) throw notThere(`${path}.${algorithm}`)
    return plain(wanted.hex)
  }

  /** A build of a snapshot is beside the others of its snapshot, unless somebody released it under its own name. */
  async function publication(actor: Actor, name: string, version: string): Promise<ReleaseDetails | undefined> {
    for (const folder of new Set([maven.versionOfBuild(version), version])) {
      const found = await publicationIn(actor, name, folder, version)
      if (found) return found
    }
    return undefined
  }

  /** By its POM, which every version has. */
  async function publicationIn(
    actor: Actor,
    name: string,
    folder: string,
    version: string,
  ): Promise<ReleaseDetails | undefined> {
    const [group = '', artifact = ''] = name.split(':')
    const path = [...group.split('.'), artifact, folder, `${artifact}-${version}.pom`].map(encodeURIComponent).join('/')
    const route = mavenRoute(path)
    if (route.kind !== 'file' || route.name !== name || route.version !== folder) return undefined
    if (!isSnapshot(folder)) {
      const found = await find(actor, route.path, name)
      return found && { publishedAt: await times.of(found.upstream, name, version) }
    }
    for (const upstream of await upstreamsFor(actor, route.path, name)) {
      if (await hasSnapshot(upstream, route)) return { publishedAt: await builds.of(upstream, name, route.path) }
    }
    return undefined
  }

  /** The POM of a snapshot often has the name of its latest build alone: then the metadata beside it tells, or the list of versions. */
  async function hasSnapshot(upstream: Upstream, { path, version }: FileRoute): Promise<boolean> {
    if (await exists(upstream, upstream.url + path)) return true
    if (builtAt(path)) return false
    if (await metadataAt(upstream, metadataBeside(path))) return true
    const folder = path.slice(0, path.lastIndexOf('/'))
    const list = await metadataAt(upstream, metadataBeside(folder))
    return list?.content.versions.includes(version) ?? false
  }

  const front: RegistryAdapter = { path: '/firewall/:deploymentId/maven', answer }
  const settle = async () => void (await Promise.all([metadatas.settle(), checksums.settle(), signatures.settle()]))
  return { front, publication, settle }
}

function freshFor({ freshMs }: Upstream, path: string): number {
  return /-SNAPSHOT\//.test(path) ? freshMs : releaseFreshMs
}

function pomPath(name: string, version: string): string {
  const [group = '', artifact = ''] = name.split(':')
  return `${group.replaceAll('.', '/')}/${artifact}/${version}/${artifact}-${version}.pom`
}

function whyAgeless({ version, publishedAt }: Release, { decision }: Verdict): string {
  return decision === 'undetermined' && isSnapshot(version) && !publishedAt ? ageless : ''
}

async function checksumAnswer(content: Buffer, algorithm: Algorithm): Promise<RegistryResponse> {
  return plain((await digestInSteps(algorithm, content)).toString('hex'))
}

function plain(body: string | Buffer): RegistryResponse {
  return { status: 200, headers: { 'content-type': 'text/plain', 'cache-control': 'private, no-cache' }, body }
}
