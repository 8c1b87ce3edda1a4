import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import * as zlib from 'node:zlib'
import type { NewScan } from '../../capabilities/scans/contract.ts'
import { CommandProblem } from '../command-problem.ts'

/** `followLink`: whoever named the file may have named a link. */
export type OutgoingFile = { path: string; place: string; bytes: number; followLink?: boolean }

const chunkBytes = 256 * 1024

export type UploadBody = { contentType: string; chunks: AsyncGenerator<Buffer> }

/** The form of an upload, read from disk as it is sent, each file packed. `onRead` hears how many bytes were read. */
export function uploadBody(
  scan: NewScan,
  files: readonly OutgoingFile[],
  onRead: (bytes: number) => void = () => {},
): UploadBody {
  const boundary = randomUUID()
  async function* chunks(): AsyncGenerator<Buffer> {
    yield Buffer.from(
      `--${boundary}\r\n${headersOf('scan')}Content-Type: application/json\r\n\r\n${JSON.stringify(scan)}`,
    )
    for (const file of files) {
      yield Buffer.from(`\r\n--${boundary}\r\n${headersOf(file.path)}\r\n`)
      yield* packed(file, onRead)
    }
    yield Buffer.from(`\r\n--${boundary}--\r\n`)
  }
  return { contentType: `multipart/form-data; boundary=${boundary}`, chunks: chunks() }
}

/** As browsers write names (HTML, multipart form data): UTF-8, with three characters escaped. */
function headersOf(name: string): string {
  const escaped = name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  return `Content-Disposition: form-data; name="${escaped}"\r\n`
}

/** The server unpacks once: what is packed already goes as it is. */
async function* packed(file: OutgoingFile, onRead: (bytes: number) => void): AsyncGenerator<Buffer> {
  const handle = await openFile(file)
  try {
    const head = Buffer.alloc(4)
    await handle.read(head, 0, 4, 0)
    const content = readChunks(handle, file.path, onRead)
    yield* isPacked(head) ? content : compress(content)
  } finally {
    await handle.close()
  }
}

async function* compress(content: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const input = Readable.from(content, { objectMode: false })
  // Node before 22.15 has no zstd.
  const packer = zlib.createZstdCompress?.() ?? zlib.createGzip()
  input.on('error', (error) => packer.destroy(error))
  try {
    yield* input.pipe(packer) as AsyncIterable<Buffer>
  } finally {
    input.destroy()
  }
}

function openFile({ path, place, followLink }: OutgoingFile): Promise<FileHandle> {
  const flags = followLink ? constants.O_RDONLY : constants.O_RDONLY | constants.O_NOFOLLOW
  return open(place, flags).catch(unreadable(path))
}

async function* readChunks(handle: FileHandle, path: string, onRead: (bytes: number) => void): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    const { bytesRead, buffer } = await handle
      .read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, position)
      .catch(unreadable(path))
    if (bytesRead === 0) return
    position += bytesRead
    onRead(bytesRead)
    yield buffer.subarray(0, bytesRead)
  }
}

function unreadable(path: string) {
  return (error: NodeJS.ErrnoException): never => {
    throw new CommandProblem(`'${path}' cannot be read (${error.code}).`)
  }
}

/** gzip (RFC 1952 §2.3.1) or zstd (RFC 8878 §3.1.1). */
function isPacked(head: Buffer): boolean {
  return (head[0] === 0x1f && head[1] === 0x8b && head[2] === 8) || head.readUInt32LE(0) === 0xfd2fb528
}
