import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { takesCoding } from '../kernel/contract/accept-encoding.ts'
import type { RegistryRequest, RegistryResponse } from '../kernel/contract/adapters/registry-adapter.ts'
import { matchesEtag } from '../kernel/contract/if-none-match.ts'
import { createYield } from '../kernel/threads/event-loop-yield.ts'
import { createByteCache } from './cache/byte-cache.ts'
import { digestInSteps } from './cache/digest-in-steps.ts'
import { createSingleFlight } from './cache/single-flight.ts'

/** A document as the clients of one deployment get to see it. */
export type RewrittenDocument = {
  headers: Record<string, string>
  etag: string
  plain: Buffer
  packed: Buffer | undefined
}

export type RewriteRequest = {
  /** Everything that it is made for and from, but the verdicts. */
  key: string
  /** Of the documents it is made from; the first is the one that was asked for. */
  stamps: readonly [string, ...string[]]
  /** Which versions are refused now. */
  refused: ReadonlySet<string>
  make(): Promise<{ headers: Record<string, string>; body: Buffer }>
}

export type RewriteCacheOptions = { memoryBytes: number; judgedMs: number; now(): number }

type Entry = RewrittenDocument & { stamp: string; state: string; judgedAt: number }

const packFromBytes = 1_024
const pack = promisify(gzip)

/**
 * Rewritten documents in memory, made again only when the document or the verdicts on it have changed. The verdicts are
 * believed for `judgedMs`; an artifact is judged again every time.
 */
export function createRewriteCache({ memoryBytes, judgedMs, now }: RewriteCacheOptions) {
  const memory = createByteCache<Entry>(memoryBytes)
  const once = createSingleFlight<Entry>()

  function peek(key: string, stamp: string): RewrittenDocument | undefined {
    const known = memory.get(key)
    return known?.stamp === stamp && now() - known.judgedAt < judgedMs ? known : undefined
  }

  async function get({ key, stamps, refused, make }: RewriteRequest): Promise<RewrittenDocument> {
    const judgedAt = now()
    const state = await stateOf(stamps, refused)
    const known = memory.get(key)
    if (known?.state === state) {
      known.judgedAt = judgedAt
      return known
    }
    return once(`${key} ${state}`, async () => {
      const { headers, body: plain } = await make()
      const packed = plain.length < packFromBytes ? undefined : await pack(plain, { level: 1 })
      const etag = `"${(await digestInSteps('sha256', plain)).toString('base64url').slice(0, 27)}"`
      const entry = { headers, etag, plain, packed, stamp: stamps[0], state, judgedAt }
      memory.set(key, entry, plain.length + (packed?.length ?? 0) + 1_024)
      return entry
    })
  }

  return { peek, get }
}

/** Changes with what the document is made from: a digest, since what is refused may be a long list. */
async function stateOf(stamps: readonly string[], refused: ReadonlySet<string>): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(stamps))
  const breath = createYield()
  for (const each of refused) {
    hash.update(JSON.stringify(each))
    const pause = breath()
    if (pause) await pause
  }
  return hash.digest('base64url')
}

/** The document in the encoding the client takes, or the word that it has it already. */
export function respondWithDocument(
  { headers }: RegistryRequest,
  { headers: own, etag, plain, packed }: RewrittenDocument,
): RegistryResponse {
  const common = { 'cache-control': 'private, no-cache', vary: 'accept, accept-encoding', ...own, etag }
  if (matchesEtag(headers['if-none-match'], etag)) return { status: 304, headers: common, body: '' }
  if (packed && takesCoding(headers['accept-encoding'], 'gzip')) {
    return { status: 200, headers: { ...common, 'content-encoding': 'gzip' }, body: packed }
  }
  return { status: 200, headers: common, body: plain }
}
