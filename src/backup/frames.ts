import { createHash } from 'node:crypto'
import { BackupProblem } from './backup-problem.ts'

/** What a backup is made of, in this order: what it is, its tables, each with its rows, and that it is whole. */
export type Frame =
  | { type: 'header'; header: BackupHeader }
  | { type: 'table'; table: string; columns: string[] }
  | { type: 'rows'; bytes: Buffer }
  | { type: 'sequences'; values: { name: string; value: string }[] }
  | { type: 'key'; key: string }
  // Of the base of a WAL archive: a file of the cluster, or a folder, which ends with a slash. Its bytes follow as rows.
  | { type: 'file'; path: string }

export type BackupHeader = {
  madeAt: string
  /** Of Gatehouse. */
  version: string
  migrations: { name: string; sha256: string }[]
}

const codes = { header: 'H', table: 'T', rows: 'R', sequences: 'S', key: 'K', file: 'F', end: 'E' } as const
const headBytes = 5
const mostBytes = 64 * 1024 * 1024

/** Each frame with its length; the last one has a hash over all before it, so that a part is not taken for the whole. */
export async function* writeFrames(frames: AsyncIterable<Frame>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  for await (const frame of frames) {
    for (const bytes of [head(codes[frame.type], content(frame).length), content(frame)]) {
      hash.update(bytes)
      yield bytes
    }
  }
  const end = hash.digest()
  yield Buffer.concat([head(codes.end, end.length), end])
}

/** Throws `BackupProblem` where it is not whole. */
export async function* readFrames(source: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  const hash = createHash('sha256')
  const reader = createReader(source)
  for (;;) {
    const start = await reader.take(headBytes)
    const code = start.toString('latin1', 0, 1)
    const length = start.readUInt32BE(1)
    if (length > mostBytes) throw damaged()
    const bytes = await reader.take(length)
    if (code === codes.end) {
      if (!hash.digest().equals(bytes) || (await reader.hasMore())) throw damaged()
      return
    }
    hash.update(start)
    hash.update(bytes)
    yield frameOf(code, bytes)
  }
}

export function damaged(cause?: unknown): BackupProblem {
  return new BackupProblem('The file is damaged or not whole. Nothing was changed.', { cause })
}

function head(code: string, length: number): Buffer {
  const bytes = Buffer.alloc(headBytes)
  bytes.write(code, 'latin1')
  bytes.writeUInt32BE(length, 1)
  return bytes
}

function content(frame: Frame): Buffer {
  if (frame.type === 'rows') return frame.bytes
  const { type: _, ...rest } = frame
  return Buffer.from(JSON.stringify(rest))
}

function frameOf(code: string, bytes: Buffer): Frame {
  const type = Object.entries(codes).find(([, known]) => known === code)?.[0]
  if (!type) throw damaged()
  if (type === 'rows') return { type, bytes }
  try {
    return { type, ...JSON.parse(bytes.toString()) } as Frame
  } catch (error) {
    throw damaged(error)
  }
}

function createReader(source: AsyncIterable<Buffer>) {
  const chunks = source[Symbol.asyncIterator]()
  let held = Buffer.alloc(0)

  async function more(): Promise<boolean> {
    const { done, value } = await chunks.next()
    if (!done) held = held.length === 0 ? Buffer.from(value) : Buffer.concat([held, value])
    return !done
  }

  async function take(length: number): Promise<Buffer> {
    while (held.length < length) if (!(await more())) throw damaged()
    const taken = held.subarray(0, length)
    held = held.subarray(length)
    return taken
  }

  return { take, hasMore: async () => held.length > 0 || (await more()) }
}
