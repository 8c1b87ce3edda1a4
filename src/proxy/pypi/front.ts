import type { Verdict } from '../../capabilities/firewall/verdict.ts'
import type { Actor } from '../../kernel/actor.ts'
import { Fault } from '../../kernel/fault.ts'
import type { Front, FrontAnswer, FrontRequest } from '../../kernel/front.ts'
import { type ArtifactSource, answerArtifact, notThere, requireDigest } from '../artifact-source.ts'
import type { Disk } from '../cache/disk.ts'
import { createDocuments, type Document } from '../cache/documents.ts'
import { type Gate, type Release, refusalText } from '../gate.ts'
import { answerWith, createRewritten } from '../rewritten.ts'
import { fetchDocument, type Upstream } from '../upstream/upstream.ts'
import type { Upstreams } from '../upstream/upstreams.ts'
import { versionOfFile } from './file-version.ts'
import { type PageForm, pageTypeFor, pageTypes, renderPage } from './page.ts'
import { type Project, type ProjectFile, readProject } from './project.ts'
import { pypiRoute } from './route.ts'

export type PypiFrontOptions = {
  upstreams: Upstreams
  gate: Gate
  source: ArtifactSource
  disk: Disk
  judgedMs: number
  patienceMs: number
  now(): number
}

type Found = { upstream: Upstream; document: Document<Project> }

const accept = `${pageTypes.json}, ${pageTypes.html}; q=0.2, text/html; q=0.1`
const memoryBytes = 64 * 1024 * 1024
const fileFreshMs = 10 * 60_000
const retryFreshMs = 1_000

/** A Python index as pip, uv and poetry speak to it. Files lie below the page of their project, so that one login covers both. */
export function createPypiFront({ upstreams, gate, source, disk, judgedMs, patienceMs, now }: PypiFrontOptions) {
  const documents = createDocuments<Project>({
    disk,
    memoryBytes,
    patienceMs,
    now,
    read(body, contentType, key) {
      const [, , page = '', project = ''] = key.split(' ')
      return readProject(body, contentType, project, page)
    },
  })
  const rewritten = createRewritten({ memoryBytes, judgedMs, now })

  function answer(request: FrontRequest): Promise<FrontAnswer> {
    const route = pypiRoute(request.path)
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      throw new Fault('method_not_allowed', 'Packages can be fetched here, not published.', { allow: ['GET'] })
    }
    if (route.kind === 'project') return page(request, route.project)
    if (route.kind === 'unknown')
      throw new Fault('not_found', 'The malware firewall knows no such path of a Python index.')
    return file(request, route.project, route.filename, route.kind === 'metadata')
  }

  async function find({ deploymentId }: Actor, project: string, freshMs?: number): Promise<Found | undefined> {
    for (const upstream of await upstreams.find(deploymentId, 'pypi', (registries) => registries)) {
      const url = `${upstream.url}${project}/`
      const key = `pypi ${upstream.partition} ${url} ${project}`
      const wanted = freshMs ?? upstream.freshMs
      const fetch = (known: object) => fetchDocument(upstream, url, accept, known)
      const document = documents.peek(key, wanted) ?? (await documents.get(key, { freshMs: wanted, fetch }))
      if (document) return { upstream, document }
    }
    return undefined
  }

  async function page(request: FrontRequest, project: string): Promise<FrontAnswer> {
    const { actor, base, headers } = request
    const isImpatient = /\bno-cache\b/.test(headers['cache-control'] ?? '')
    const found = await find(actor, project, isImpatient ? retryFreshMs : undefined)
    if (!found) throw notThere(project)
    const type = pageTypeFor(headers.accept)
    const form: PageForm = type === pageTypes.json ? 'json' : 'html'
    const { stamp, content } = found.document
    const key = `${actor.deploymentId} ${base} ${type} ${found.upstream.partition} ${project}`
    const known = rewritten.peek(key, stamp)
    if (known) return answerWith(request, known)
    const refused = refusedIn(actor, project, content)
    const make = async () => ({
      headers: { 'content-type': type === pageTypes.plain ? `${type}; charset=utf-8` : type },
      body: renderPage(project, [...content.files.values()].map(shownIn(base, project, refused, content)), form),
    })
    const made = await rewritten.get({ key, stamps: [stamp], refused: new Set([...refused].map(String)), make })
    return answerWith(request, made)
  }

  /** Why, by the name of the file. */
  function refusedIn(actor: Actor, project: string, { files }: Project): Map<string, string> {
    const refused = new Map<string, string>()
    for (const file of files.values()) {
      const release = releaseOf(project, file)
      const verdict = gate.judge(actor, release)
      if (verdict.refuse) refused.set(file.filename, refusalText(release, verdict))
    }
    return refused
  }

  async function file(
    request: FrontRequest,
    project: string,
    filename: string,
    isMetadata: boolean,
  ): Promise<FrontAnswer> {
    const { actor } = request
    const version = versionOfFile(filename, project)
    if (version === undefined) throw notThere(filename)
    const asked = gate.judge(actor, { name: project, version })
    if (asked.decision === 'block') throw await gate.refuse(actor, { name: project, version }, asked)
    const found = await findFile(actor, project, filename)
    if (!found) throw notThere(filename)
    const release = releaseOf(project, found.file)
    const verdict = gate.judge(actor, release)
    if (verdict.refuse) throw await gate.refuse(actor, release, verdict)
    return isMetadata ? metadata(request, found) : artifact(request, found, release, verdict)
  }

  type FoundFile = { upstream: Upstream; file: ProjectFile }

  async function findFile(actor: Actor, project: string, filename: string): Promise<FoundFile | undefined> {
    for (const freshMs of [fileFreshMs, retryFreshMs]) {
      const found = await find(actor, project, freshMs)
      const file = found?.document.content.files.get(filename)
      if (found && file) return { upstream: found.upstream, file }
    }
    return undefined
  }

  async function artifact(request: FrontRequest, { upstream, file }: FoundFile, release: Release, verdict: Verdict) {
    const digest = requireDigest(upstream, file.digest, file.filename)
    const wanted = { upstream, url: new URL(file.url), digest, what: file.filename }
    const content = await source.get(wanted, request.reassure)
    if (!content) throw notThere(file.filename)
    if (request.method === 'GET') await gate.noteAllowed(request.actor, release, verdict)
    return answerArtifact(request, content, digest, 'application/octet-stream')
  }

  async function metadata(request: FrontRequest, { upstream, file }: FoundFile): Promise<FrontAnswer> {
    const what = `the metadata of ${file.filename}`
    if (!file.metadata) throw notThere(what)
    const wanted = { upstream, url: new URL(`${file.url}.metadata`), digest: file.metadata, what }
    const content = await source.get(wanted, request.reassure)
    if (!content) throw notThere(what)
    return answerArtifact(request, content, file.metadata, 'text/plain; charset=utf-8')
  }

  const front: Front = { path: '/firewall/:deploymentId/pypi', answer }
  return { front, settle: documents.settle }
}

function releaseOf(project: string, { version, uploadedAt }: ProjectFile): Release {
  return { name: project, version, publishedAt: uploadedAt }
}

/**
 * A refused file is shown as yanked: a resolver passes it over, and who pins it is told why when they fetch it. Where
 * nothing else is left to choose it is shown as it is, or the client would only say that there is no such project.
 */
function shownIn(base: string, project: string, refused: ReadonlyMap<string, string>, { files }: Project) {
  const isHopeless = refused.size === files.size
  return (file: ProjectFile) => ({
    file,
    url: `${base}/simple/${project}/${encodeURIComponent(file.filename)}`,
    yanked: isHopeless ? file.yanked : (refused.get(file.filename) ?? file.yanked),
  })
}
