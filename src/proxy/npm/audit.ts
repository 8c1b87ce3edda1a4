import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Actor } from '../../kernel/actor.ts'
import { Fault } from '../../kernel/fault.ts'
import type { FrontAnswer, FrontRequest } from '../../kernel/front.ts'
import { bad, guarded, headerOf, type Upstream } from '../upstream/upstream.ts'

export type NpmAudit = (request: FrontRequest, path: string) => Promise<FrontAnswer>

export type AuditOptions = {
  /** Where packages without a scope come from. */
  upstreamFor(actor: Actor): Promise<Upstream>
  /** Which names are for a registry of the deployment alone. */
  privateNames(actor: Actor): Promise<(name: string) => boolean>
}

const maxBytes = 16 * 1024 * 1024
const unpack = promisify(gunzip)

/** Passes the question for known vulnerabilities on, without the names that are nobody else's business. */
export function createNpmAudit({ upstreamFor, privateNames }: AuditOptions): NpmAudit {
  return async (request, path) => {
    const asked = await readBody(request)
    const isPrivate = await privateNames(request.actor)
    const upstream = await upstreamFor(request.actor)
    return guarded(upstream, async () => {
      const response = await upstream.outbound.request({
        method: 'POST',
        url: upstream.url + path,
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify(without(asked, isPrivate, 0)),
        credentials: upstream.credentials,
        viaBroker: upstream.viaBroker,
        decompress: true,
        maxBytes,
      })
      const type = headerOf(response, 'content-type') ?? ''
      if (response.status !== 200 && response.status !== 404) throw bad(upstream, `answered ${response.status}.`)
      if (response.status === 200 && !/json/.test(type)) throw bad(upstream, 'answers something else than JSON.')
      return { status: response.status, headers: { 'content-type': 'application/json' }, body: response.body }
    })
  }
}

async function readBody({ body, headers }: FrontRequest): Promise<unknown> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new Fault('payload_too_large', 'An audit may have 16 MiB.')
    chunks.push(chunk)
  }
  try {
    const sent = Buffer.concat(chunks)
    const plain = headers['content-encoding'] === 'gzip' ? await unpack(sent, { maxOutputLength: maxBytes }) : sent
    return JSON.parse(plain.toString('utf8'))
  } catch {
    throw new Fault('malformed_request', 'The audit is not JSON.')
  }
}

const maxDepth = 100

/** Names are keys in all forms of the question: `{name: [versions]}`, or `requires` and `dependencies` within each other. */
function without(value: unknown, isPrivate: (name: string) => boolean, depth: number): unknown {
  if (depth > maxDepth) throw new Fault('malformed_request', 'The audit is nested too deep.')
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const kept = Object.entries(value).filter(([key]) => !isPrivate(key))
  return Object.fromEntries(kept.map(([key, inner]) => [key, without(inner, isPrivate, depth + 1)]))
}
