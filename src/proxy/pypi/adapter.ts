import type { ReleaseDetails, Verdict } from '../../capabilities/firewall/verdicts/verdict.ts'
import { pypi } from '../../ecosystems/pypi/ecosystem.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import type {
  RegistryAdapter,
  RegistryRequest,
  RegistryResponse,
} from '../../kernel/contract/adapters/registry-adapter.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { createYield } from '../../kernel/threads/event-loop-yield.ts'
import type { ArchiveCheck } from '../archives/archive-check.ts'
import { type ArtifactSource, answerArtifact, closeArtifact, notThere, requireDigest } from '../artifact-source.ts'
import type { Artifact } from '../cache/artifacts.ts'
import type { Disk } from '../cache/disk.ts'
import { bytesOf, createDocuments, type Document } from '../cache/documents.ts'
import type { Ownership } from '../dependency-confusion/name-ownership.ts'
import type { Release, ReleaseCheck } from '../release-check.ts'
import { createRewriteCache, respondWithDocument } from '../rewrite-cache.ts'
import type { Threads } from '../threads/threads.ts'
import { ownerOf } from '../upstream/collect-body.ts'
import type { OpenRegistry } from '../upstream/registries.ts'
import { fetchDocument, type Upstream } from '../upstream/upstream.ts'
import { versionOfFile } from './file-version.ts'
import { type PageForm, pageTypeFor, pageTypes, renderPage, shownFiles } from './page.ts'
import type { Project, ProjectFile } from './project.ts'
import { sourceFacts } from './release-facts.ts'
import { pypiRoute } from './route.ts'

export type PypiAdapterOptions = {
  threads: Threads
  ownership: Ownership
  releaseCheck: ReleaseCheck
  source: ArtifactSource
  archives: ArchiveCheck
  disk: Disk
  judgedMs: number
  patienceMs: number
  now(): number
}

type FetchedProject = { upstream: Upstream; document: Document<Project> }

const accept = `${pageTypes.json}, ${pageTypes.html}; q=0.2, text/html; q=0.1`
const memoryBytes = 64 * 1024 * 1024
const fileFreshMs = 10 * 60_000
const retryFreshMs = 1_000
/** A page of more is written in a thread. */
const inlineFiles = 500

/** A Python index as pip, uv and poetry speak to it. Files lie below the page of their project, so that one login covers both. */
export function createPypiAdapter({
  threads,
  ownership,
  releaseCheck,
  source,
  archives,
  disk,
  judgedMs,
  patienceMs,
  now,
}: PypiAdapterOptions) {
  const documents = createDocuments<Project>({
    disk,
    memoryBytes,
    patienceMs,
    now,
    async read(body, contentType, key) {
      const [, partition = '', page = '', project = ''] = key.split(' ')
      const files = new Map<string, ProjectFile>()
      const given = { contentType, project, page }
      const onFile = (file: ProjectFile) => files.set(file.filename, file)
      const facts = await threads.list(ownerOf(partition), 'project', body, given, onFile)
      return { files, facts }
    },
  })
  const rewritten = createRewriteCache({ memoryBytes, judgedMs, now })

  function answer(request: RegistryRequest): Promise<RegistryResponse> {
    const route = pypiRoute(request.path)
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      throw new Fault('method_not_allowed', 'Packages can be fetched here, not published.', { allow: ['GET'] })
    }
    if (route.kind === 'project') return page(request, route.project)
    if (route.kind === 'unknown')
      throw new Fault('not_found', 'The malware firewall knows no such path of a Python index.')
    return file(request, route.project, route.filename, route.kind === 'metadata')
  }

  async function find(actor: Actor, project: string, freshMs?: number): Promise<FetchedProject | undefined> {
    const { deploymentId } = actor
    const has = async (upstream: Upstream) => (await documentAt(upstream, project)) !== undefined
    const choose = (registries: OpenRegistry[]) => registries
    const sources = await ownership.sourcesOf({ deploymentId, ecosystem: 'pypi', name: project, choose, has })
    for (const upstream of sources) {
      const document = await documentAt(upstream, project, freshMs)
      if (!document) continue
      await ownership.learn(actor, 'pypi', project, upstream)
      return { upstream, document }
    }
    return undefined
  }

  function documentAt(upstream: Upstream, project: string, freshMs = upstream.freshMs) {
    const url = `${upstream.url}${project}/`
    const key = `pypi ${upstream.partition} ${url} ${project}`
    const fetch = (known: object) => fetchDocument(upstream, url, accept, known)
    return documents.peek(key, freshMs) ?? documents.get(key, { freshMs, fetch })
  }

  async function page(request: RegistryRequest, project: string): Promise<RegistryResponse> {
    const { actor, base, headers } = request
    await releaseCheck.admitName(request, project)
    const isImpatient = /\bno-cache\b/.test(headers['cache-control'] ?? '')
    const found = await find(actor, project, isImpatient ? retryFreshMs : undefined)
    if (!found || found.document.content.files.size === 0) throw await releaseCheck.missing(request, project)
    const type = pageTypeFor(headers.accept)
    const form: PageForm = type === pageTypes.json ? 'json' : 'html'
    const { stamp, content, contentType } = found.document
    const key = `${releaseCheck.audience(actor, project)} ${base} ${type} ${found.upstream.partition} ${project}`
    const known = rewritten.peek(key, stamp)
    if (known) return respondWithDocument(request, known)
    const refused = await refusedIn(actor, project, content)
    const make = async () => ({
      headers: { 'content-type': type === pageTypes.plain ? `${type}; charset=utf-8` : type },
      body: await rendered(),
    })
    const rendered = async () => {
      if (content.files.size <= inlineFiles) {
        return Buffer.from(renderPage(project, shownFiles(base, project, refused, content), form))
      }
      const url = `${found.upstream.url}${project}/`
      const bytes = (await found.document.load()) ?? bytesOf(await fetchDocument(found.upstream, url, accept, {}))
      // Where all are refused none is shown as such.
      const marked = refused.size === content.files.size ? [] : [...refused]
      const wanted = { contentType, project, page: url, base, form, refused: marked }
      return threads.write(ownerOf(found.upstream.partition), 'renderedProject', bytes, wanted)
    }
    const made = await rewritten.get({ key, stamps: [stamp], refused: new Set([...refused].map(String)), make })
    return respondWithDocument(request, made)
  }

  /** Why, by the name of the file. */
  async function refusedIn(actor: Actor, project: string, { files, facts }: Project): Promise<Map<string, string>> {
    const refused = new Map<string, string>()
    const breath = createYield()
    for (const file of files.values()) {
      const pause = breath()
      if (pause) await pause
      const release = releaseOf(project, file, facts)
      const verdict = releaseCheck.judge(actor, release)
      if (verdict.refuse) refused.set(file.filename, releaseCheck.told(actor, release, verdict))
    }
    return refused
  }

  async function file(
    request: RegistryRequest,
    project: string,
    filename: string,
    isMetadata: boolean,
  ): Promise<RegistryResponse> {
    const { actor } = request
    const version = versionOfFile(filename, project)
    if (version === undefined) throw notThere(filename)
    await releaseCheck.prepare(actor, project)
    const asked = releaseCheck.judge(actor, { name: project, version })
    if (releaseCheck.isRefusedAnyway(asked)) throw await releaseCheck.refuse(request, { name: project, version }, asked)
    const found = await findFile(actor, project, filename)
    if (!found) throw notThere(filename)
    const release = releaseOf(project, found.file, found.facts)
    const verdict = releaseCheck.judge(actor, release)
    if (verdict.refuse) throw await releaseCheck.refuse(request, release, verdict)
    return isMetadata ? metadata(request, found) : artifact(request, found, release, verdict)
  }

  type FoundFile = { upstream: Upstream; file: ProjectFile } & Project

  async function findFile(actor: Actor, project: string, filename: string): Promise<FoundFile | undefined> {
    for (const freshMs of [fileFreshMs, retryFreshMs]) {
      const found = await find(actor, project, freshMs)
      const file = found?.document.content.files.get(filename)
      if (found && file) return { upstream: found.upstream, file, ...found.document.content }
    }
    return undefined
  }

  async function artifact(request: RegistryRequest, found: FoundFile, release: Release, verdict: Verdict) {
    const wanted = wantedOf(found.upstream, found.file)
    const content = await source.get(wanted, request.reassure)
    if (!content) throw notThere(wanted.what)
    const last = await judgeArchive(request.actor, found, release, verdict, content)
    if (last.refuse) {
      await closeArtifact(content)
      throw await releaseCheck.refuse(request, release, last)
    }
    if (request.method === 'GET') await releaseCheck.noteAllowed(request, release, last)
    return answerArtifact(request, content, wanted.digest, 'application/octet-stream')
  }

  /** The verdict once the file is here. Closes it where it cannot be given. */
  async function judgeArchive(
    actor: Actor,
    { upstream, file, files }: FoundFile,
    release: Release,
    verdict: Verdict,
    content: Artifact,
  ): Promise<Verdict> {
    const { facts } = release
    const earlier = async () =>
      (facts?.before ?? []).map((version) => {
        const wheel = wheelLike(file, files, version)
        return { version, facts: undefined, artifact: wheel && wantedOf(upstream, wheel) }
      })
    const look = () => archives.look(content, { kind: 'wheel', partition: upstream.partition, facts, earlier })
    try {
      return await releaseCheck.judgeArchive(actor, release, verdict, look)
    } catch (error) {
      await closeArtifact(content)
      throw error
    }
  }

  async function metadata(request: RegistryRequest, { upstream, file }: FoundFile): Promise<RegistryResponse> {
    const what = `the metadata of ${file.filename}`
    if (!file.metadata) throw notThere(what)
    const wanted = { upstream, url: new URL(`${file.url}.metadata`), digest: file.metadata, what }
    const content = await source.get(wanted, request.reassure)
    if (!content) throw notThere(what)
    return answerArtifact(request, content, file.metadata, 'text/plain; charset=utf-8')
  }

  /** Of the first of its files: one that was added later is judged by its own time. */
  async function publication(actor: Actor, name: string, version: string): Promise<ReleaseDetails | undefined> {
    const route = pypiRoute(`simple/${encodeURIComponent(name)}/`)
    const found = route.kind === 'project' ? await find(actor, route.project) : undefined
    const files = [...(found?.document.content.files.values() ?? [])].filter(
      (file) => pypi.compare(file.version, version) === 0,
    )
    if (files.length === 0) return undefined
    const times = files.flatMap(({ uploadedAt }) => (uploadedAt ? [uploadedAt.getTime()] : []))
    const file = files.find(({ filename }) => filename.endsWith('.whl')) ?? files[0]!
    const { digest, facts } = releaseOf(name, file, found!.document.content.facts)
    const published = { publishedAt: times.length > 0 ? new Date(Math.min(...times)) : undefined, facts, digest }
    await lookInto(
      actor,
      { upstream: found!.upstream, file, ...found!.document.content },
      { name, version, ...published },
    )
    return published
  }

  /** Where the verdict on a version hangs on what is in its wheel. */
  async function lookInto(actor: Actor, found: FoundFile, release: Release): Promise<void> {
    const verdict = releaseCheck.judge(actor, release)
    if (verdict.lacks !== 'archive') return
    const content = await source.get(wantedOf(found.upstream, found.file), () => {})
    if (!content) return
    await judgeArchive(actor, found, release, verdict, content)
    await closeArtifact(content)
  }

  const front: RegistryAdapter = { path: '/firewall/:deploymentId/pypi', answer }
  return { front, publication, settle: documents.settle }
}

/** Of source archives it is known that they run code, whatever else there is of the version. */
function releaseOf(
  project: string,
  { filename, version, uploadedAt, digest }: ProjectFile,
  facts: Project['facts'],
): Release {
  const known = facts.get(version)
  const release = { name: project, version, publishedAt: uploadedAt }
  if (filename.endsWith('.whl')) return { ...release, facts: known, digest: digest?.hex }
  return { ...release, facts: known && sourceFacts(known), digest: undefined }
}

function wantedOf(upstream: Upstream, { filename, digest, url }: ProjectFile) {
  return { upstream, url: new URL(url), digest: requireDigest(upstream, digest, filename), what: filename }
}

/** The wheel of another version for the same interpreter and machine, or else any that can be verified. */
function wheelLike(file: ProjectFile, files: Project['files'], version: string): ProjectFile | undefined {
  const tags = ({ filename }: ProjectFile) => filename.split('-').slice(-3).join('-')
  const wheels = [...files.values()].filter(
    (one) => one.version === version && one.digest && one.filename.endsWith('.whl'),
  )
  return wheels.find((one) => tags(one) === tags(file)) ?? wheels[0]
}
