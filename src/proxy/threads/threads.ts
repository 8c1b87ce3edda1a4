import type { FileHandle } from 'node:fs/promises'
import { Fault } from '../../kernel/contract/fault.ts'
import { threadShare } from '../../kernel/memory/memory-shares.ts'
import { sharedCopy } from '../../kernel/threads/copy-in-turns.ts'
import { createThreadPool, type PoolLimits, reasonUnlessBusy } from '../../kernel/threads/thread-pool.ts'
import type { ArchiveContents, ArchiveKind } from '../archives/archive.ts'
import type { ModuleAlgorithm } from '../cache/digest.ts'
import { type Listed, type Refusal, type TaskName, type Tasks, tasks } from './tasks.ts'

export type ThreadLimits = PoolLimits & {
  /** Documents up to this size are handled at once, in the thread that answers requests: a hand-over would take longer. */
  inlineBytes: number
  /** After a document of this size the thread ends, because it keeps the memory that it took. */
  endAfterBytes: number
}

const defaultLimits: ThreadLimits = {
  workers: 2,
  perKey: 1,
  waiting: 512,
  secondsPerJob: 20,
  memoryMebibytes: 1_024,
  idleSeconds: 300,
  inlineBytes: 64 * 1024,
  endAfterBytes: 16 * 1024 * 1024,
}

type Given<Name extends TaskName> = Parameters<Tasks[Name]>[1] extends undefined ? object : Parameters<Tasks[Name]>[1]
type Row<Name extends TaskName> = ReturnType<Tasks[Name]> extends Listed<infer Each, unknown> ? Each : never
type Rest<Name extends TaskName> = ReturnType<Tasks[Name]> extends Listed<unknown, infer Other> ? Other : never
type Reader<Name extends TaskName> = (body: Buffer, given: Given<Name>) => Listed<Row<Name>, Rest<Name>>
type Listing = { [Name in TaskName]: ReturnType<Tasks[Name]> extends Uint8Array ? never : Name }[TaskName]
type Writing = Exclude<TaskName, Listing>

export type Threads = ReturnType<typeof createThreads>

/** Smaller where memory is short. */
export function threadLimits(usableBytes: number): Partial<ThreadLimits> {
  return threadShare(defaultLimits, usableBytes)
}

/** Reads and rewrites documents of registries, however large or hostile, without holding up requests. */
export function createThreads(given: Partial<ThreadLimits> = {}) {
  const limits = { ...defaultLimits, ...given }
  const pool = createThreadPool(new URL('./worker.ts', import.meta.url), limits)

  /** `of` is whose document it is, and `onRow` takes what is read out of it, row by row. */
  async function list<Name extends Listing>(
    of: string,
    task: Name,
    body: Buffer,
    more: Given<Name>,
    onRow: (row: Row<Name>) => void,
  ): Promise<Rest<Name>> {
    if (body.length <= limits.inlineBytes) {
      const { rows, rest } = (tasks[task] as unknown as Reader<Name>)(body, more)
      for (const row of rows) onRow(row)
      return rest
    }
    return (await apart(of, task, body, more, (rows) => {
      for (const row of rows) onRow(row as Row<Name>)
    })) as Rest<Name>
  }

  /** Makes one document out of another. */
  async function write<Name extends Writing>(of: string, task: Name, body: Buffer, more: Given<Name>): Promise<Buffer> {
    if (body.length <= limits.inlineBytes) {
      return asBuffer((tasks[task] as (...args: unknown[]) => Uint8Array)(body, more))
    }
    return asBuffer((await apart(of, task, body, more, () => {})) as Uint8Array)
  }

  /** What is in a zip may be much larger than the zip, so its sum is always found apart. A `go.mod` is what it is. */
  async function sumOfModule(
    of: string,
    algorithm: ModuleAlgorithm,
    content: Buffer | FileHandle,
  ): Promise<string | undefined> {
    if (Buffer.isBuffer(content) && algorithm === 'h1mod')
      return (await write(of, 'moduleSum', content, { algorithm })).toString() || undefined
    const { body, ...file } = await handedOver(content)
    const sum = await apart(of, 'moduleSum', body, { algorithm, ...file }, () => {})
    return asBuffer(sum as Uint8Array).toString() || undefined
  }

  /** What is in an archive may be much larger than the archive, so it is always looked into apart. */
  async function archiveContentsOf(
    of: string,
    kind: ArchiveKind,
    content: Buffer | FileHandle,
  ): Promise<ArchiveContents> {
    const { body, ...file } = await handedOver(content)
    const found = await apart(of, 'archiveContents', body, { kind, ...file }, () => {})
    return JSON.parse(asBuffer(found as Uint8Array).toString())
  }

  async function apart(
    of: string,
    task: TaskName,
    body: Buffer,
    more: unknown,
    onRows: (rows: unknown[]) => void,
  ): Promise<unknown> {
    let last: { rest?: unknown; refusal?: Refusal } = {}
    const onPart = (part: unknown) => {
      if (Array.isArray(part)) onRows(part)
      else last = part as typeof last
    }
    try {
      const isLast = body.length >= limits.endAfterBytes
      const message = { task, body: await sharedCopy(body), given: JSON.stringify(more) }
      await pool.run({ key: of, message, onPart, isLast })
    } catch (error) {
      const reason = reasonUnlessBusy(error, 'documents of registries')
      throw new Fault('bad_upstream', messages[reason], { cause: error })
    }
    if (last.refusal) throw new Fault(last.refusal.code, last.refusal.message)
    return last.rest
  }

  return { list, write, sumOfModule, archiveContents: archiveContentsOf, close: pool.close }
}

/** The bytes themselves, or the open file that they are in. */
async function handedOver(content: Buffer | FileHandle) {
  if (Buffer.isBuffer(content)) return { body: content }
  return { body: Buffer.alloc(0), file: { fd: content.fd, size: (await content.stat()).size } }
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength)
}

const messages = {
  'too-slow': 'The registry sent a document that takes too long to read.',
  'too-large': 'The registry sent a document that takes more memory to read than one may have.',
  broken: 'The registry sent a document that could not be read.',
}
