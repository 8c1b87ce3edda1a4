import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Problem } from '../../formats/format.ts'
import { fatalProblem } from '../../formats/problem.ts'
import { Fault } from '../../kernel/fault.ts'
import { type FilePlace, type FileReading, failedReading, readFile } from './read-file.ts'

export type ReadingLimits = {
  workers: number
  /** Files up to this size are read at once, in the thread that answers requests: a hand-over would take longer. */
  inlineBytes: number
  waiting: number
  secondsPerFile: number
  memoryMebibytes: number
  idleSeconds: number
  /** A thread keeps the memory of the largest file it read, so after a file of this size it ends. */
  endAfterBytes: number
}

const defaultLimits: ReadingLimits = {
  workers: 2,
  inlineBytes: 64 * 1024,
  waiting: 64,
  secondsPerFile: 120,
  memoryMebibytes: 400,
  idleSeconds: 300,
  endAfterBytes: 16 * 1024 * 1024,
}

type Job = { file: FilePlace; path: string; done: (reading: FileReading) => void }
type Thread = { worker: Worker; ready: boolean; job: Job | undefined; timer: NodeJS.Timeout | undefined }

export type ReadingPool = ReturnType<typeof createReadingPool>

/** Reads files without holding up requests: large ones in threads of their own, whose failure is one file's problem. */
export function createReadingPool(onFailure: (error: unknown) => void, given: Partial<ReadingLimits> = {}) {
  const limits = { ...defaultLimits, ...given }
  const threads = new Set<Thread>()
  const queue: Job[] = []
  let closed = false

  async function read(file: FilePlace, path: string): Promise<FileReading> {
    if (file.bytes <= limits.inlineBytes) {
      await nextTurn()
      try {
        return readFile(file, path)
      } catch (error) {
        return failedReading(failureOf(error))
      }
    }
    if (closed || queue.length >= limits.waiting) {
      throw new Fault('unavailable', 'Too many files wait to be read.', { retryAfterSeconds: 5 })
    }
    return new Promise((done) => {
      queue.push({ file, path, done })
      next()
    })
  }

  function next(): void {
    if (queue.length === 0) return
    const idle = [...threads].find((thread) => !thread.job)
    if (idle) start(idle, queue.shift()!)
    else if (threads.size < limits.workers) start(spawn(), queue.shift()!)
  }

  function spawn(): Thread {
    const worker = new Worker(new URL('./reading-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: limits.memoryMebibytes },
    })
    const thread: Thread = { worker, ready: false, job: undefined, timer: undefined }
    threads.add(thread)
    worker.once('message', () => {
      thread.ready = true
      worker.on('message', (reading: FileReading) => finish(thread, reading))
      if (thread.job) begin(thread, thread.job)
    })
    worker.on('error', (error) => lose(thread, failureOf(error)))
    worker.on('exit', () => lose(thread, broken))
    // Only a job that is under way keeps the process alive.
    worker.unref()
    return thread
  }

  function start(thread: Thread, job: Job): void {
    clearTimeout(thread.timer)
    thread.job = job
    thread.worker.ref()
    if (thread.ready) begin(thread, job)
  }

  function begin(thread: Thread, job: Job): void {
    const { secondsPerFile } = limits
    const late = () => lose(thread, fatalProblem('too-slow', `Reading took longer than ${secondsPerFile} seconds.`))
    thread.timer = setTimeout(late, secondsPerFile * 1000)
    thread.worker.postMessage({ file: job.file, path: job.path })
  }

  function finish(thread: Thread, reading: FileReading): void {
    clearTimeout(thread.timer)
    const { job } = thread
    thread.job = undefined
    thread.worker.unref()
    if (job && job.file.bytes >= limits.endAfterBytes) dismiss(thread)
    else thread.timer = setTimeout(() => dismiss(thread), limits.idleSeconds * 1000).unref()
    job?.done(reading)
    next()
  }

  function lose(thread: Thread, problem: Problem): void {
    const { job } = thread
    thread.job = undefined
    dismiss(thread)
    job?.done(failedReading(problem))
    next()
  }

  function dismiss(thread: Thread): void {
    clearTimeout(thread.timer)
    threads.delete(thread)
    void thread.worker.terminate()
  }

  async function close(): Promise<void> {
    closed = true
    await Promise.all([...threads].map((thread) => thread.worker.terminate()))
  }

  function failureOf(error: unknown): Problem {
    if ((error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY') {
      return fatalProblem('too-large', 'Reading this file takes more memory than one file may have.')
    }
    onFailure(error)
    return broken
  }

  return { read, close }
}

const broken = fatalProblem('reader-failed', 'The reader of this file broke down.')
