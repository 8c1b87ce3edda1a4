import type { Actor } from '../../kernel/access/actor.ts'
import type {
  RegistryAdapter,
  RegistryRequest,
  RegistryResponse,
} from '../../kernel/contract/adapters/registry-adapter.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { answerArtifact, closeArtifact, notThere } from '../artifact-source.ts'
import type { Release, ReleaseCheck } from '../release-check.ts'
import { type RewrittenDocument, respondWithDocument } from '../rewrite-cache.ts'
import type { Threads } from '../threads/threads.ts'
import type { NpmAudit } from './audit/audit.ts'
import type { NpmMetadata } from './metadata.ts'
import { noticeHeaders } from './notice.ts'
import type { Form } from './packument.ts'
import { npmRoute } from './route.ts'
import type { NpmSignatures } from './signatures.ts'
import type { NpmTarballs } from './tarballs.ts'

export type NpmAdapterOptions = {
  threads: Threads
  metadata: NpmMetadata
  tarballs: NpmTarballs
  releaseCheck: ReleaseCheck
  audit: NpmAudit
  signatures: NpmSignatures
  /** What whoever asks is called. */
  callerName(actor: Actor): Promise<string>
}

/** The npm registry, as npm, yarn and pnpm speak to it. Nothing is published through it. */
export function createNpmAdapter({
  threads,
  metadata,
  tarballs,
  releaseCheck,
  audit,
  signatures,
  callerName,
}: NpmAdapterOptions): RegistryAdapter {
  function answer(request: RegistryRequest): Promise<RegistryResponse> | RegistryResponse {
    const route = npmRoute(request.path)
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (route.kind === 'audit' && request.method === 'POST') return audit(request, route.path)
    if (!isRead)
      throw new Fault('method_not_allowed', 'Packages can be fetched here, not published.', { allow: ['GET'] })
    switch (route.kind) {
      case 'packument':
        return packument(request, route.name)
      case 'version':
        return version(request, route.name, route.version)
      case 'dist-tags':
        return distTags(request, route.name)
      case 'tarball':
        return tarball(request, route.name, route.version)
      case 'keys':
        return signatures.keys(request)
      case 'attestations':
        return signatures.attestations(request, route.name, route.version)
      case 'ping':
        return json({})
      case 'whoami':
        return whoami(request)
      default:
        throw new Fault('not_found', 'The malware firewall knows no such path of the npm registry.')
    }
  }

  async function whoami({ actor }: RegistryRequest): Promise<RegistryResponse> {
    return json({ username: await callerName(actor) })
  }

  async function packument(request: RegistryRequest, name: string): Promise<RegistryResponse> {
    const form: Form = /application\/vnd\.npm\.install-v1\+json/.test(request.headers.accept ?? '')
      ? 'abbreviated'
      : 'full'
    return respondWithDocument(request, await seen(request, name, form))
  }

  async function seen(request: RegistryRequest, name: string, form: Form): Promise<RewrittenDocument> {
    const found = await metadata.packument(request, name, form)
    if (!found) throw await releaseCheck.missing(request, name)
    return found
  }

  async function version(request: RegistryRequest, name: string, wanted: string): Promise<RegistryResponse> {
    const { actor } = request
    // A tag never begins like a version: which version it stands for, its registry knows.
    const isVersion = /^v?\d/.test(wanted)
    if (isVersion) await refuseAnyway(request, { name, version: wanted })
    const { plain } = await seen(request, name, 'full')
    const [version, tagged] = await partsOf(request, plain, ['versions', wanted], ['dist-tags', wanted])
    if (version) return json(version)
    const [meant] = typeof tagged === 'string' ? await partsOf(request, plain, ['versions', tagged]) : []
    if (meant) return json(meant)
    const found = isVersion ? await metadata.release(actor, name, wanted) : undefined
    const judged = found && (await metadata.judged(actor, found.release))
    if (judged?.verdict.refuse) throw await releaseCheck.refuse(request, judged.release, judged.verdict)
    throw notThere(`${name}@${wanted}`)
  }

  /** Before its registry is asked: that may have taken it away. */
  async function refuseAnyway(request: RegistryRequest, release: Release): Promise<void> {
    await releaseCheck.prepare(request.actor, release.name)
    const verdict = releaseCheck.judge(request.actor, release)
    if (releaseCheck.isRefusedAnyway(verdict)) throw await releaseCheck.refuse(request, release, verdict)
  }

  async function distTags(request: RegistryRequest, name: string): Promise<RegistryResponse> {
    const { plain } = await seen(request, name, 'abbreviated')
    const [tags] = await partsOf(request, plain, ['dist-tags'])
    return json(tags ?? {})
  }

  async function partsOf({ actor }: RegistryRequest, plain: Buffer, ...paths: string[][]): Promise<(object | null)[]> {
    const parts = await threads.write(`deployment-${actor.deploymentId}`, 'partsOfPackument', plain, { paths })
    return JSON.parse(parts.toString('utf8'))
  }

  async function tarball(request: RegistryRequest, name: string, version: string): Promise<RegistryResponse> {
    const { actor, method } = request
    const what = `${name}@${version}`
    await refuseAnyway(request, { name, version })
    const found = await metadata.release(actor, name, version)
    if (!found) throw notThere(what)
    const { release, verdict } = await metadata.judged(actor, found.release)
    if (verdict.refuse) throw await releaseCheck.refuse(request, release, verdict)
    const artifact = await tarballs.fetch(found, request.reassure)
    const last = await tarballs.judge(actor, found, release, verdict, artifact)
    if (last.refuse) {
      await closeArtifact(artifact)
      throw await releaseCheck.refuse(request, release, last)
    }
    if (method === 'GET') await releaseCheck.noteAllowed(request, release, last)
    const answer = answerArtifact(request, artifact, found.version.digest!, 'application/octet-stream')
    const { warnings = [] } = last
    if (warnings.length === 0) return answer
    const notice = noticeHeaders(`Gatehouse warns about ${what}: ${warnings.join(' ')}`)
    return { ...answer, headers: { ...answer.headers, ...notice } }
  }

  return { path: '/firewall/:deploymentId/npm', answer }
}

function json(value: object): RegistryResponse {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) }
}
