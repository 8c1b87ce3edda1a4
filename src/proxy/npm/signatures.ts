import type { Actor } from '../../kernel/access/actor.ts'
import type { RegistryRequest, RegistryResponse } from '../../kernel/contract/adapters/registry-adapter.ts'
import { notThere } from '../artifact-source.ts'
import { bad, guarded, headerOf, type Upstream } from '../upstream/upstream.ts'
import type { NpmMetadata } from './metadata.ts'

export type NpmSignatures = ReturnType<typeof createNpmSignatures>

/** A bundle of attestations has some ten kilobytes. */
const maxBytes = 4 * 1024 * 1024

/**
 * What `npm audit signatures` asks for: the keys that a registry signs its packages with, and what was attested of how they were
 * built. Both are passed on as they are: the client checks them against what it has installed.
 */
export function createNpmSignatures(options: {
  metadata: NpmMetadata
  /** Where packages without a scope come from. */
  upstreamFor(actor: Actor): Promise<Upstream>
}) {
  async function keys({ actor }: RegistryRequest): Promise<RegistryResponse> {
    return pass(await options.upstreamFor(actor), '-/npm/v1/keys', 'The registry has no keys for signatures.')
  }

  /** Asked of the registry that the package comes from, and of no other. */
  async function attestations({ actor }: RegistryRequest, name: string, version: string): Promise<RegistryResponse> {
    const what = `${name}@${version}`
    const found = await options.metadata.release(actor, name, version)
    if (!found) throw notThere(what)
    const path = `-/npm/v1/attestations/${name.replace('/', '%2f')}@${encodeURIComponent(version)}`
    return pass(found.upstream, path, `Nothing is attested of ${what}.`)
  }

  return { keys, attestations }
}

function pass(upstream: Upstream, path: string, missing: string): Promise<RegistryResponse> {
  const headers = { 'content-type': 'application/json' }
  return guarded(upstream, async () => {
    const { credentials, viaBroker, times } = upstream
    const response = await upstream.outbound.request({
      method: 'GET',
      url: upstream.url + path,
      headers: { accept: 'application/json' },
      credentials,
      viaBroker,
      decompress: true,
      maxBytes,
      timeoutMs: times.documentMs,
    })
    if (response.status === 404) return { status: 404, headers, body: JSON.stringify({ error: missing }) }
    if (response.status !== 200) throw bad(upstream, `answered ${response.status}.`)
    if (!/json/.test(headerOf(response, 'content-type') ?? ''))
      throw bad(upstream, 'answers something other than JSON.')
    return { status: 200, headers, body: response.body }
  })
}
