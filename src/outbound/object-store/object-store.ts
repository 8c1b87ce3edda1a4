import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { S3mini, S3ServiceError } from 's3mini'
import { createOutbound, type OutboundOptions } from '../client/client.ts'
import { OutboundError } from '../outbound-error.ts'

/** A bucket that any server speaking the protocol of Amazon S3 keeps. */
export type Bucket = {
  /** With the bucket in its path or host. */
  url: string
  /** Before the name of every object, without a slash at its end. */
  prefix: string
  region: string
  accessKeyId: string
  secretAccessKey: string
}

export type ObjectStoreOptions = {
  bucket: Bucket
  /** GATEHOUSE_EGRESS_ALLOW. */
  allow: string
  outbound?: Partial<OutboundOptions>
  /** How long it may be silent before it is given up on. */
  silenceMs?: number
}

/** `bytes`: how long the store says it is. Who has enough of it destroys the body. */
export type StoredObject = { body: Readable; bytes: number }

export type ObjectStore = ReturnType<typeof createObjectStore>

/** What a store answered, or why it did not. It quotes nothing of what was sent: signatures are echoed in answers. */
class ObjectStoreError extends Error {
  override name = 'ObjectStoreError'
}

/** The most that one request may bring (Amazon S3 User Guide, "Uploading objects"). */
const largestBytes = 5 * 1024 ** 3
const refusalBytes = 64 * 1024
const usualSilenceMs = 3_000
/** Slower than this many bytes in a millisecond, a registry is the better source. */
const leastSpeed = 1024

/** Objects in a bucket, by the rules for everything that leaves. The operator chose the place, so it may be inside. */
export function createObjectStore({ bucket, allow, outbound: more, silenceMs = usualSilenceMs }: ObjectStoreOptions) {
  const { origin } = new URL(bucket.url)
  const outbound = createOutbound({
    allow,
    isOperators: (asked) => asked === origin,
    connectTimeoutMs: silenceMs,
    ...more,
  })
  const { accessKeyId, secretAccessKey, region } = bucket
  const client = new S3mini({ accessKeyId, secretAccessKey, region, endpoint: bucket.url, fetch: send })

  /** What the client would send by itself, sent by us. */
  async function send(url: unknown, init: RequestInit = {}): Promise<Response> {
    const { host: _, authorization = '', ...headers } = lowerCase(init.headers as Record<string, string>)
    const { status, ...answer } = await outbound.stream({
      method: init.method,
      url: String(url),
      headers,
      credentials: { origin, authorization },
      // Only what `put` hands in, or nothing.
      body: (init.body as unknown as Readable | Buffer | '') || undefined,
      maxRedirects: 0,
      maxBytes: largestBytes,
      timeoutMs: 60 * 60_000,
      headersTimeoutMs: init.method === 'PUT' ? 10 * silenceMs : silenceMs,
      idleTimeoutMs: silenceMs,
    })
    const given = { status, headers: answer.headers as Record<string, string> }
    if (status !== 200) return new Response(await refusalIn(answer.body), given)
    const patienceMs = silenceMs + Number(given.headers['content-length'] ?? 0) / leastSpeed
    const body = Readable.from(timely(answer.body, patienceMs), { objectMode: false })
    // Also where nobody began to read it.
    body.once('close', () => answer.body.destroy())
    return new Response(Readable.toWeb(body) as ReadableStream, given)
  }

  /** The object as it comes; undefined where there is none. */
  function get(name: string): Promise<StoredObject | undefined> {
    return told(async () => {
      const response = await client.getObjectResponse(keyOf(name))
      if (!response?.body) return undefined
      const bytes = Number(response.headers.get('content-length') ?? 0)
      return { body: Readable.fromWeb(response.body as never), bytes }
    })
  }

  /** An object that is there already is replaced. */
  function put(name: string, bytes: number, content: Buffer | Readable): Promise<void> {
    return told(async () => {
      const type = 'application/octet-stream'
      const body = content as unknown as ReadableStream
      const response = await client.putObject(keyOf(name), body, type, undefined, undefined, bytes)
      await response.body?.cancel()
    })
  }

  function remove(name: string): Promise<void> {
    return told(async () => void (await client.deleteObject(keyOf(name))))
  }

  /** Writes, reads and removes an object, as it will have to. Throws what is in the way. */
  async function probe(): Promise<void> {
    const name = `probe-${randomBytes(12).toString('hex')}`
    const content = randomBytes(64)
    await put(name, content.length, content)
    const chunks: Buffer[] = []
    for await (const chunk of (await get(name))?.body ?? []) chunks.push(chunk)
    await remove(name)
    if (!content.equals(Buffer.concat(chunks))) throw new ObjectStoreError('It returns other bytes than it was given.')
  }

  const keyOf = (name: string) => `${bucket.prefix}/${name}`
  return { get, put, remove, probe, largestBytes, circuits: outbound.circuits, close: outbound.close }
}

/** Ends what is slower than it may be. What counts is the time that the store is waited for: its reader may wait for room. */
async function* timely(body: Readable, patienceMs: number): AsyncGenerator<Buffer> {
  const chunks = body.iterator() as AsyncIterator<Buffer>
  let leftMs = patienceMs
  for (;;) {
    const begun = performance.now()
    const timer = setTimeout(() => body.destroy(new OutboundError('timeout', 'It is too slow.')), leftMs)
    const { done, value } = await chunks.next().finally(() => clearTimeout(timer))
    if (done) return
    leftMs -= performance.now() - begun
    yield value
  }
}

async function refusalIn(body: Readable): Promise<string | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > refusalBytes) break
  }
  return bytes > 0 ? Buffer.concat(chunks).toString() : null
}

async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof OutboundError) throw new ObjectStoreError(error.message)
    if (!(error instanceof S3ServiceError)) throw new ObjectStoreError('Its answer cannot be understood.')
    const code = /^\w{1,64}$/.test(error.code ?? '') ? ` ${error.code}` : ''
    throw new ObjectStoreError(`It answers ${error.status}${code}.`)
  }
}

function lowerCase(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
