import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { ReceivedFile } from '../../kernel/contract/api.ts'
import type { UploadForm } from '../../kernel/contract/endpoint.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { readableSize } from '../../kernel/text/readable-size.ts'
import { createFairSemaphore } from '../../kernel/threads/fair-semaphore.ts'
import { createFairShare } from '../../kernel/threads/fair-share.ts'
import { parseJson } from '../requests/json-body.ts'
import { contentEncodingOf, decompress, decompressByContent } from './decompress.ts'
import { readEnvelope } from './envelope.ts'
import { createFields } from './form-fields.ts'
import { boundaryOf, type Part, readMultipart } from './multipart.ts'
import { type Scratch, withScratch } from './scratch.ts'
import { createMeter, tooLarge, type UploadLimits, uploadLimits } from './upload-meter.ts'

type Chunks = AsyncIterable<Buffer>
/** `of` is whose it is: uploads that are under way at once are shared fairly. */
export type Upload = { of: string; headers: IncomingHttpHeaders; chunks: Chunks }
export type Receiver = ReturnType<typeof createReceiver>

/** Longer than a request with JSON may take: a slow line needs minutes for the largest upload. */
export const uploadSeconds = 600

/** Hands the bodies of the routes in this scope over as they are. */
export function acceptStreams(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  // One that stops reading leaves the request as it is: what is left of it still has to be passed over.
  scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload.iterator({ destroyOnReturn: false })))
}

/** Receives uploads into a file in the folder, small ones into memory. `checkRoom` throws where its disk has too little. */
export function createReceiver(folder: string, limits: UploadLimits = uploadLimits, checkRoom = () => {}) {
  const share = createFairShare<string>(limits.atOnce)
  const large = createFairSemaphore<string>(limits.largeAtOnce, limits.largeWaitMs)

  /** `onBody` gets the JSON part as soon as it is there; `work` gets the files, which are gone when it is done. */
  async function receive<T>(
    upload: Upload,
    form: UploadForm,
    onBody: (body: unknown) => void,
    work: (files: ReceivedFile[]) => Promise<T>,
  ): Promise<T> {
    checkRoom()
    if (!share.take(upload.of)) {
      throw new Fault('unavailable', 'Too many uploads are under way.', { retryAfterSeconds: 5 })
    }
    try {
      return await withScratch(folder, async (scratch) => {
        const files = await store(upload, form, onBody, scratch, limits)
        const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
        return bytes > limits.largeBytes ? large.run(upload.of, () => work(files)) : work(files)
      })
    } finally {
      share.release(upload.of)
    }
  }

  return { receive }
}

async function store(
  { headers, chunks }: Upload,
  form: UploadForm,
  onBody: (body: unknown) => void,
  scratch: Scratch,
  limits: UploadLimits,
): Promise<ReceivedFile[]> {
  if (Number(headers['content-length']) > limits.receivedBytes) throw tooLarge(limits)
  const packing = contentEncodingOf(headers['content-encoding'])
  const meter = createMeter(limits)
  const arriving = meter.arriving(chunks)
  const body = packing ? meter.stage()(decompress(arriving, packing, 'The body')) : arriving
  const countFiles = meter.stage()
  if (form.form === 'document') return [await scratch.keep('', countFiles(decompressByContent(body, 'The document')))]

  const files: ReceivedFile[] = []
  const keep = async (name: string, chunks: Chunks) => {
    if (files.length === limits.files) throw new Fault('payload_too_large', `Send at most ${limits.files} files.`)
    const content = decompressByContent(chunks, `The part '${name.slice(0, 200)}'`)
    files.push(await scratch.keep(name, countFiles(content)))
  }
  const textOf = (part: Part) => inMemory(part.body, limits.bodyPartBytes, part.name)

  const boundary = boundaryOf(headers['content-type'])
  const enveloped = envelopedFile(form, boundary)
  if (enveloped !== undefined) {
    onBody(await readEnvelope(body, enveloped, limits.bodyPartBytes, (content) => keep(enveloped, content)))
    return files
  }
  if (!boundary) throw new Fault('unsupported_media_type', 'Send the upload as multipart/form-data with a boundary.')
  if (form.form === 'fields') {
    const fields = createFields(textOf)
    for await (const part of readMultipart(body, boundary)) {
      if (form.files.includes(part.name)) await keep(part.name, part.body)
      else await fields.add(part)
    }
    onBody(fields.all())
  } else if (form.form === 'multipart') {
    let first = true
    for await (const part of readMultipart(body, boundary)) {
      if (first !== (part.name === form.bodyPart)) throw misplaced(form.bodyPart)
      if (first) onBody(parseJson(await textOf(part)))
      else await keep(part.name, part.body)
      first = false
    }
    if (first) throw misplaced(form.bodyPart)
  }
  return files
}

/** The name of the file, where it comes in an envelope of JSON. */
function envelopedFile(form: UploadForm, boundary: string | undefined): string | undefined {
  if (form.form === 'envelope') return form.file
  return form.form === 'fields' && form.orJson && !boundary ? form.files[0] : undefined
}

async function inMemory(chunks: Chunks, limit: number, name: string): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > limit) throw new Fault('payload_too_large', `The part '${name}' may be at most ${readableSize(limit)}.`)
    parts.push(chunk)
  }
  return Buffer.concat(parts)
}

function misplaced(bodyPart: string): Fault {
  return new Fault('malformed_request', `The first part, and only that, must be '${bodyPart}', with JSON.`)
}
