import type { Logger } from 'pino'
import { createCircuitBreakers, type Permit } from '../../outbound/circuit-breaker.ts'
import type { ObjectStore, StoredObject } from '../../outbound/object-store/object-store.ts'
import { type Artifact, type Artifacts, artifactName, WrongBytes } from './artifacts.ts'
import type { Digest } from './digest.ts'
import { NoRoom } from './room-queue.ts'

export type StoredArtifactOptions = {
  store: Pick<ObjectStore, 'get' | 'put' | 'remove' | 'probe' | 'largestBytes'>
  artifacts: Artifacts
  log?: Logger | undefined
  now?: (() => number) | undefined
}

type Use = 'reading' | 'writing'
type Wanted = { partition: string; digest: Digest }

const atOnce = 4
const calmMs = 60_000
/** Each had cost somebody seconds: it may answer at once, and then send its content too slowly. */
const failedReads = 5
const pauseMs = 30_000
/** Only what they are called waits, so this is for memory's sake and no promise. */
const mostWaiting = 10_000

/**
 * Artifacts behind the disk, in a store that all processes share. It is believed as little as a registry: what comes from it is
 * verified, and what is wrong is removed. What goes wrong with it costs nobody an answer: the registry has it too.
 */
export function createStoredArtifacts({ store, artifacts, log, now = monotonic }: StoredArtifactOptions) {
  const waiting: Wanted[] = []
  const writing = new Set<Promise<void>>()
  const counts = { corrupted: 0, failed: 0 }
  const reads = createCircuitBreakers({ failures: failedReads, pauseMs, now })
  /** When it last failed; one that is full can be read all the same. */
  const troubles = new Map<Use, number>()

  /** Taken in by way of the disk; undefined where the store has none, or none that is right. */
  async function find({ partition, digest }: Wanted, what: string): Promise<Artifact | undefined> {
    const name = artifactName(partition, digest)
    let object: StoredObject | undefined
    let permit: Permit | undefined
    try {
      permit = reads.enter('store')
      object = await store.get(name)
      const incoming = object && { chunks: object.body, expectedBytes: object.bytes }
      const found = incoming && (await artifacts.receive(partition, digest, incoming, what))
      permit.succeeded()
      recovered('reading')
      return found
    } catch (error) {
      object?.body.destroy()
      const isOurs = error instanceof NoRoom || error instanceof WrongBytes
      if (isOurs) permit?.abandoned()
      else permit?.failed()
      if (error instanceof NoRoom) throw error
      if (error instanceof WrongBytes) await discard(name, what)
      else failed('reading', error)
      return undefined
    }
  }

  async function discard(name: string, what: string): Promise<void> {
    counts.corrupted++
    log?.error({ package: what }, 'the object store had other bytes for a package; they were thrown away and removed')
    await store.remove(name).catch((error) => failed('writing', error))
  }

  /** Nobody waits for it. */
  function keep(wanted: Wanted): void {
    if (waiting.length >= mostWaiting) return
    waiting.push(wanted)
    if (writing.size >= atOnce) return
    const written: Promise<void> = writeWaiting().finally(() => writing.delete(written))
    writing.add(written)
  }

  async function writeWaiting(): Promise<void> {
    for (let wanted = waiting.shift(); wanted; wanted = waiting.shift())
      await write(wanted).catch((error) => failed('writing', error))
  }

  /** From the cache, where it was verified; what had to make room meanwhile comes again some day. */
  async function write({ partition, digest }: Wanted): Promise<void> {
    const artifact = await artifacts.find(partition, digest)
    if (!artifact) return
    const name = artifactName(partition, digest)
    if ('content' in artifact) await store.put(name, artifact.bytes, artifact.content)
    else if (artifact.bytes > store.largestBytes) await artifact.file.close()
    else await store.put(name, artifact.bytes, artifact.file.createReadStream({ start: 0 }))
    recovered('writing')
  }

  function failed(use: Use, error: unknown): void {
    counts.failed++
    const isKnown = troubles.has(use)
    troubles.set(use, now())
    if (isKnown) return
    const why = (error as Error).message
    log?.warn({ use, why }, 'the object store cannot be used; packages come from their registries meanwhile')
  }

  /** One that half works is said to fail once, not with every other request. */
  function recovered(use: Use): void {
    const failedAt = troubles.get(use)
    if (failedAt === undefined || now() - failedAt < calmMs) return
    troubles.delete(use)
    log?.info({ use }, 'the object store is used again')
  }

  /** Says in the log whether it can be used, before the first package needs it. */
  async function check(): Promise<void> {
    await store.probe().catch((error) => failed('writing', error))
  }

  async function settle(): Promise<void> {
    await Promise.all(writing)
  }

  return { find, keep, check, settle, counts: () => counts }
}

export type StoredArtifacts = ReturnType<typeof createStoredArtifacts>

const monotonic = () => performance.now()
