import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Fault } from '../../kernel/contract/fault.ts'
import { isOutage, RegistryRefusal } from '../refusal.ts'
import { createByteCache } from './byte-cache.ts'
import { digestInSteps } from './digest-in-steps.ts'
import type { Disk } from './disk.ts'
import { createSingleFlight } from './single-flight.ts'

export type Validators = { etag?: string | undefined; lastModified?: string | undefined }

/** What asking the upstream came to. What is neither is thrown as a Fault. */
export type Fetched =
  | { state: 'same' }
  | { state: 'missing' }
  | ({ state: 'found'; body: Buffer; contentType: string; release?(): void } & Validators)

/** A document of an upstream, as it was when it was last asked for. */
export type Document<T> = {
  /** Changes with the content. */
  stamp: string
  contentType: string
  /** What was read out of it. */
  content: T
  /** True where the upstream could not be asked whether it still is like this. */
  stale: boolean
  /** The bytes themselves; undefined where they had to make room. */
  load(): Promise<Buffer | undefined>
}

/** `bytes`: what it counts as in memory. */
type Entry<T> = { document: Document<T> | undefined; validators: Validators; checkedAt: number; bytes: number }
type Header = Validators & { key: string; stamp: string; contentType: string }

export type DocumentOptions<T> = {
  disk: Disk
  memoryBytes: number
  /** What is known is served after this long, though the upstream has not answered yet. */
  patienceMs: number
  /** Milliseconds that only ever grow. */
  now(): number
  /** Throws a Fault for what is not such a document. */
  read(body: Buffer, contentType: string, key: string): T | Promise<T>
}

export type DocumentAsk = { freshMs: number; fetch(known: Validators): Promise<Fetched> }

/** How long it is believed that a thing does not exist, at most. */
const missingMs = 10_000
/** A stale document is served this long before the upstream is asked once more. */
const pauseMs = 5_000
const entryBytes = 1024

/**
 * Metadata of upstreams: asked again with its validators once it is no longer fresh, and served as it was while the
 * upstream cannot be asked; not when it refuses. On disk each lies in one file with the hash of its content before it.
 */
export function createDocuments<T>({ disk, memoryBytes, patienceMs, now, read }: DocumentOptions<T>) {
  const memory = createByteCache<Entry<T>>(memoryBytes)
  const once = createSingleFlight<Entry<T>>()
  const asking = createSingleFlight<Entry<T>>()
  const writing = new Set<Promise<void>>()

  /** The document if nothing has to be waited for. */
  function peek(key: string, freshMs: number): Document<T> | undefined {
    const entry = memory.get(key)
    return entry?.document && now() - entry.checkedAt < freshMs ? entry.document : undefined
  }

  /** Undefined where the upstream says that there is none. */
  async function get(key: string, ask: DocumentAsk): Promise<Document<T> | undefined> {
    const entry = memory.get(key)
    const freshMs = entry && !entry.document ? Math.min(missingMs, ask.freshMs) : ask.freshMs
    if (entry && now() - entry.checkedAt < freshMs) return entry.document
    return (await once(key, () => renew(key, memory.get(key), ask))).document
  }

  async function renew(key: string, known: Entry<T> | undefined, ask: DocumentAsk): Promise<Entry<T>> {
    const earlier = known?.document ? known : await fromDisk(key)
    // Apart from whoever waits for it: one that is given up on goes on, and nobody begins another meanwhile.
    const asked = asking(key, () => askNow(key, earlier, ask))
    if (!earlier?.document) return asked
    const inTime = await within(asked, patienceMs)
    return inTime ?? leaveAsItWas(key, earlier, ask)
  }

  async function askNow(key: string, earlier: Entry<T> | undefined, ask: DocumentAsk): Promise<Entry<T>> {
    try {
      const fetched = await ask.fetch(earlier?.validators ?? {})
      if (fetched.state === 'missing') return forget(key)
      if (fetched.state === 'found') return await keep(key, fetched)
      if (!earlier?.document)
        throw new Fault(
          'bad_upstream',
          'The registry answered "not modified" although nothing of this document is stored here.',
        )
      return remember(key, {
        ...earlier,
        document: { ...earlier.document, stale: false },
        checkedAt: now(),
      })
    } catch (error) {
      if (error instanceof RegistryRefusal) await drop(key)
      if (!earlier?.document || !isOutage(error)) throw error
      return leaveAsItWas(key, earlier, ask)
    }
  }

  function leaveAsItWas(key: string, earlier: Entry<T>, { freshMs }: DocumentAsk): Entry<T> {
    const checkedAt = now() - Math.max(0, freshMs - pauseMs)
    return remember(key, { ...earlier, document: { ...earlier.document!, stale: true }, checkedAt })
  }

  /** As if it had never been asked for. */
  async function drop(key: string): Promise<void> {
    memory.drop(key)
    await disk.drop(nameOf(key))
  }

  async function forget(key: string): Promise<Entry<T>> {
    await disk.drop(nameOf(key))
    return remember(key, { document: undefined, validators: {}, checkedAt: now(), bytes: entryBytes })
  }

  async function keep(key: string, found: Extract<Fetched, { state: 'found' }>): Promise<Entry<T>> {
    const { body, contentType, etag, lastModified, release = () => {} } = found
    let content: T
    try {
      content = await read(body, contentType, key)
    } catch (error) {
      release()
      throw error
    }
    const stamp = await hashOf(body)
    const header = { key, stamp, contentType, etag, lastModified }
    const written: Promise<boolean> = write(header, body).then(
      () => true,
      () => false,
    )
    const tracked: Promise<void> = written.then(() => void writing.delete(tracked))
    writing.add(tracked)
    // Until it lies on disk the bytes are held here.
    let held: Buffer | undefined = body
    void written.then((isWritten) => {
      if (isWritten) held = undefined
      release()
    })
    const document = { stamp, contentType, content, stale: false, load: async () => held ?? bytesOnDisk(key, stamp) }
    return remember(key, { document, validators: { etag, lastModified }, checkedAt: now(), bytes: bytesFor(body) })
  }

  /** What is read out of a document is not larger than it. The largest would not be kept at all, and read from disk at every request. */
  function bytesFor(body: Buffer): number {
    return Math.min(entryBytes + body.length, memoryBytes / 4)
  }

  function remember(key: string, entry: Entry<T>): Entry<T> {
    memory.set(key, entry, entry.bytes)
    return entry
  }

  async function write(header: Header, body: Buffer): Promise<void> {
    await disk.write(nameOf(header.key), [Buffer.from(`${JSON.stringify(header)}\n`), body])
  }

  async function fromDisk(key: string): Promise<Entry<T> | undefined> {
    const file = await readWhole(key)
    if (!file) return undefined
    const { header, body } = file
    try {
      const { stamp, contentType } = header
      const content = await read(body, contentType, key)
      const document = { stamp, contentType, content, stale: false, load: () => bytesOnDisk(key, stamp) }
      disk.used(nameOf(key))
      return { document, validators: header, checkedAt: Number.NEGATIVE_INFINITY, bytes: bytesFor(body) }
    } catch {
      return undefined
    }
  }

  async function bytesOnDisk(key: string, stamp: string): Promise<Buffer | undefined> {
    const file = await readWhole(key)
    return file?.header.stamp === stamp ? file.body : undefined
  }

  async function readWhole(key: string): Promise<{ header: Header; body: Buffer } | undefined> {
    const bytes = await readFile(disk.path(nameOf(key))).catch(() => undefined)
    const end = bytes?.indexOf(10) ?? -1
    if (!bytes || end < 0) return undefined
    try {
      const header = JSON.parse(bytes.toString('utf8', 0, end)) as Header
      const body = bytes.subarray(end + 1)
      return header.key === key && header.stamp === (await hashOf(body)) ? { header, body } : undefined
    } catch {
      return undefined
    }
  }

  async function settle(): Promise<void> {
    await Promise.all(writing)
  }

  return { peek, get, drop, settle }
}

/** Of a document that had to make room on disk and was asked for once more. */
export function bytesOf(fetched: Fetched): Buffer {
  if (fetched.state !== 'found') throw new Error('a document went away while it was read')
  fetched.release?.()
  return fetched.body
}

/** Undefined where it takes longer. It goes on then, and how it ends is nobody's concern. */
async function within<R>(work: Promise<R>, ms: number): Promise<R | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(resolve, ms, undefined)
  work.catch(() => {})
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

async function hashOf(body: Buffer): Promise<string> {
  return (await digestInSteps('sha256', body)).toString('base64url')
}

function nameOf(key: string): string {
  const hash = createHash('sha256').update(key).digest('hex')
  return `documents/${hash.slice(0, 2)}/${hash.slice(2)}`
}
