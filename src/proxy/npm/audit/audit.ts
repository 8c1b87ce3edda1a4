import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { RegistryRequest, RegistryResponse } from '../../../kernel/contract/adapters/registry-adapter.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import type { Threads } from '../../threads/threads.ts'
import { bad, guarded, headerOf, type Upstream } from '../../upstream/upstream.ts'
import type { AuditedVersion } from './audited-versions.ts'
import type { OwnAudit } from './own-audit.ts'

export type NpmAudit = (request: RegistryRequest, path: string) => Promise<RegistryResponse>

export type AuditOptions = {
  threads: Threads
  own: OwnAudit
  /** Where packages without a scope come from. */
  upstreamFor(actor: Actor): Promise<Upstream>
  /** Which of these names are not for that upstream. */
  privateNames(actor: Actor, names: string[], upstream: Upstream): Promise<ReadonlySet<string>>
}

const maxBytes = 16 * 1024 * 1024
const jsonType = { 'content-type': 'application/json' }
const unpack = promisify(gunzip)

/**
 * Answers which of the packages that a client has are vulnerable, from our own advisories. Where there are none about npm
 * packages, the question is passed on, without the names that are nobody else's business.
 */
export function createNpmAudit({ threads, own, upstreamFor, privateNames }: AuditOptions): NpmAudit {
  return async (request, path) => {
    const asked = await readBody(request)
    const of = `deployment-${request.actor.deploymentId}`
    const audited: AuditedVersion[] = []
    await threads.list(of, 'auditedVersions', asked, {}, (row) => audited.push(row))
    const answer = await own.answer(request.actor, audited, path)
    if (answer) return { status: 200, headers: jsonType, body: JSON.stringify(answer) }
    const upstream = await upstreamFor(request.actor)
    const asks: string[] = []
    await threads.list(of, 'namesInAudit', asked, {}, (name) => asks.push(name))
    const hidden = await privateNames(request.actor, asks, upstream)
    const body = await threads.write(of, 'auditWithout', asked, { names: [...hidden] })
    return guarded(upstream, async () => {
      const response = await upstream.outbound.request({
        method: 'POST',
        url: upstream.url + path,
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body,
        credentials: upstream.credentials,
        viaBroker: upstream.viaBroker,
        decompress: true,
        maxBytes,
      })
      const type = headerOf(response, 'content-type') ?? ''
      if (response.status !== 200 && response.status !== 404) throw bad(upstream, `answered ${response.status}.`)
      if (response.status === 200 && !/json/.test(type)) throw bad(upstream, 'answers something other than JSON.')
      return { status: response.status, headers: jsonType, body: response.body }
    })
  }
}

async function readBody({ body, headers }: RegistryRequest): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new Fault('payload_too_large', 'An audit request may be at most 16 MiB.')
    chunks.push(chunk)
  }
  try {
    const sent = Buffer.concat(chunks)
    return headers['content-encoding'] === 'gzip' ? await unpack(sent, { maxOutputLength: maxBytes }) : sent
  } catch {
    throw new Fault('malformed_request', 'The audit is not JSON.')
  }
}
