import type { Problem } from '../../../formats/format.ts'
import { fatalProblem } from '../../../formats/problem.ts'
import type { PastFirewall } from '../../../formats/registry-references/registry-references.ts'
import type { FileRange } from '../../../kernel/disk/file-range.ts'
import { threadShare } from '../../../kernel/memory/memory-shares.ts'
import { createFairTurns } from '../../../kernel/threads/fair-turns.ts'
import { createThreadPool, type PoolLimits, reasonUnlessBusy } from '../../../kernel/threads/thread-pool.ts'
import { pastIn } from './past-firewall.ts'
import { type FilePlace, type FileReading, failedReading, readFile } from './read-file.ts'
import { createAssembly } from './reading-parts.ts'

export type ReadingLimits = PoolLimits & {
  /** Files up to this size are read at once, in the thread that answers requests: a hand-over would take longer. */
  inlineBytes: number
  /** A thread keeps the memory of the largest file it read, so after a file of this size it ends. */
  endAfterBytes: number
}

const defaultLimits: ReadingLimits = {
  workers: 3,
  perKey: 2,
  inlineBytes: 16 * 1024,
  waiting: 128,
  secondsPerJob: 120,
  memoryMebibytes: 768,
  idleSeconds: 300,
  endAfterBytes: 16 * 1024 * 1024,
}

export type ReadingPool = ReturnType<typeof createReadingPool>

/** Smaller where memory is short. */
export function readingLimits(usableBytes: number): Partial<ReadingLimits> {
  return threadShare(defaultLimits, usableBytes)
}

/** Reads files without holding up requests: large ones in threads of their own, whose failure is one file's problem. */
export function createReadingPool(onFailure: (error: unknown) => void, given: Partial<ReadingLimits> = {}) {
  const limits = { ...defaultLimits, ...given }
  const turns = createFairTurns<number>()
  const pool = createThreadPool(new URL('./reading-worker.ts', import.meta.url), limits)

  /** Whether it is read in the thread that answers requests. */
  function readsHere({ bytes }: { bytes: number }): boolean {
    return bytes <= limits.inlineBytes
  }

  /** `tenant` is whose file it is: tenants take turns. */
  async function read(tenant: number, file: FilePlace, path: string): Promise<FileReading> {
    if (readsHere(file)) {
      await turns.wait(tenant)
      try {
        return readFile(file, path)
      } catch (error) {
        onFailure(error)
        return failedReading(broken)
      }
    }
    const isLast = file.bytes >= limits.endAfterBytes
    const assembly = createAssembly()
    try {
      await pool.run({ key: tenant, message: { file, path }, onPart: assembly.take, isLast })
    } catch (error) {
      return failedReading(problemOf(error))
    }
    return assembly.whole()
  }

  function problemOf(error: unknown): Problem {
    const reason = reasonUnlessBusy(error, 'files')
    if (reason === 'too-slow') {
      return fatalProblem('too-slow', `Reading took longer than ${limits.secondsPerJob} seconds.`)
    }
    if (reason === 'too-large') {
      return fatalProblem(
        'too-large',
        `Reading this file takes more than the ${limits.memoryMebibytes} MiB of memory that there are for one.`,
      )
    }
    onFailure((error as Error).cause ?? error)
    return broken
  }

  /** Where a file names hosts past the firewall. One that cannot be looked at names none: what is wrong with it its reading says. */
  async function pastFirewall(
    tenant: number,
    file: FileRange,
    path: string,
    firewall: string,
  ): Promise<PastFirewall[]> {
    if (readsHere(file)) {
      await turns.wait(tenant)
      return pastIn(file, path, firewall)
    }
    let past: PastFirewall[] = []
    const onPart = (part: unknown) => {
      past = part as PastFirewall[]
    }
    const { held, start, bytes } = file
    const message = { file: { held, start, bytes }, path, firewall }
    await pool.run({ key: tenant, message, onPart, isLast: bytes >= limits.endAfterBytes }).catch(problemOf)
    return past
  }

  return { readsHere, read, pastFirewall, close: pool.close }
}

const broken = fatalProblem('reader-failed', 'The reader failed on this file.')
