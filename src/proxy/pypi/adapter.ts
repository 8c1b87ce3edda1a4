import type { ReleaseDetails, Verdict } from '../../capabilities/firewall/verdicts/verdict.ts'
import { pypi } from '../../ecosystems/pypi/ecosystem.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import type { RegistryAdapter, RegistryRequest, RegistryResponse } from '../../kernel/contract/registry-adapter.ts'
import { createYield } from '../../kernel/threads/event-loop-yield.ts'
import { type ArtifactSource, answerArtifact, notThere, requireDigest } from '../artifact-source.ts'
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
import { pypiRoute } from './route.ts'

export type PypiAdapterOptions = {
  threads: Threads
  ownership: Ownership
  gate: ReleaseCheck
  source: ArtifactSource
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
  gate,
  source,
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
    await gate.admitName(request, project)
    const isImpatient = /\bno-cache\b/.test(headers['cache-control'] ?? '')
    const found = await find(actor, project, isImpatient ? retryFreshMs : undefined)
    if (!found) throw await gate.missing(request, project)
    const type = pageTypeFor(headers.accept)
    const form: PageForm = type === pageTypes.json ? 'json' : 'html'
    const { stamp, content, contentType } = found.document
    const key = `${gate.audience(actor, project)} ${base} ${type} ${found.upstream.partition} ${project}`
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
      const verdict = gate.judge(actor, release)
      if (verdict.refuse) refused.set(file.filename, gate.told(actor, release, verdict))
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
    await gate.prepare(actor, project)
    const asked = gate.judge(actor, { name: project, version })
    if (gate.isRefusedAnyway(asked)) throw await gate.refuse(request, { name: project, version }, asked)
    const found = await findFile(actor, project, filename)
    if (!found) throw notThere(filename)
    const release = releaseOf(project, found.file, found.facts)
    const verdict = gate.judge(actor, release)
    if (verdict.refuse) throw await gate.refuse(request, release, verdict)
    return isMetadata ? metadata(request, found) : artifact(request, found, release, verdict)
  }

  type FoundFile = { upstream: Upstream; file: ProjectFile; facts: Project['facts'] }

  async function findFile(actor: Actor, project: string, filename: string): Promise<FoundFile | undefined> {
    for (const freshMs of [fileFreshMs, retryFreshMs]) {
      const found = await find(actor, project, freshMs)
      const file = found?.document.content.files.get(filename)
      if (found && file) return { upstream: found.upstream, file, facts: found.document.content.facts }
    }
    return undefined
  }

  async function artifact(request: RegistryRequest, { upstream, file }: FoundFile, release: Release, verdict: Verdict) {
    const digest = requireDigest(upstream, file.digest, file.filename)
    const wanted = { upstream, url: new URL(file.url), digest, what: file.filename }
    const content = await source.get(wanted, request.reassure)
    if (!content) throw notThere(file.filename)
    if (request.method === 'GET') await gate.noteAllowed(request, release, verdict)
    return answerArtifact(request, content, digest, 'application/octet-stream')
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
    const facts = found?.document.content.facts.get(files[0]!.version)
    return { publishedAt: times.length > 0 ? new Date(Math.min(...times)) : undefined, facts }
  }

  const front: RegistryAdapter = { path: '/firewall/:deploymentId/pypi', answer }
  return { front, publication, settle: documents.settle }
}

function releaseOf(project: string, { version, uploadedAt }: ProjectFile, facts: Project['facts']): Release {
  return { name: project, version, publishedAt: uploadedAt, facts: facts.get(version) }
}
