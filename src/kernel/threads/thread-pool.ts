import { Worker } from 'node:worker_threads'
import { Fault } from '../contract/fault.ts'
import { createFairShare } from './fair-share.ts'

export type PoolLimits = {
  workers: number
  /** How many threads one key has at once at most; one fewer than there are leaves one for everybody else. */
  perKey: number
  /** How many jobs wait, shared fairly between the keys. */
  waiting: number
  secondsPerJob: number
  memoryMebibytes: number
  idleSeconds: number
}

class ThreadFailure extends Error {
  override name = 'ThreadFailure'
  readonly reason: 'busy' | 'too-slow' | 'too-large' | 'broken'

  constructor(reason: ThreadFailure['reason'], cause?: unknown) {
    super(`a thread failed: ${reason}`, { cause })
    this.reason = reason
  }
}

/** Why a job came to nothing. Where there was no place for it, whoever asked is told to come back. */
export function reasonUnlessBusy(error: unknown, waiting: string): Exclude<ThreadFailure['reason'], 'busy'> {
  const reason = error instanceof ThreadFailure ? error.reason : 'broken'
  if (reason !== 'busy') return reason
  throw new Fault('unavailable', `Too many ${waiting} wait to be read.`, { retryAfterSeconds: 5 })
}

export type Job = {
  /** Whose it is. */
  key: unknown
  message: unknown
  /** Takes a part of the answer; more come until the last one. */
  onPart(part: unknown): void
  /** The thread ends with it, because a thread keeps the memory of the largest job that it had. */
  isLast?: boolean
}
type Queued = Job & { done(): void; failed(failure: ThreadFailure): void }
type Thread = { worker: Worker; ready: boolean; job: Queued | undefined; timer: NodeJS.Timeout | undefined }

/** What a thread answers; after a part that is not the last it waits to be asked for the next. */
export type Part = { part: unknown; isLast: boolean }
export const nextPart = 'next part'

/**
 * Work in threads that must not hold up the one that answers requests. Each has bounds of memory and time, and its failure is that
 * of one job. Keys take turns: whoever has many jobs does not keep another's from being next.
 */
export function createThreadPool(script: URL, limits: PoolLimits) {
  const threads = new Set<Thread>()
  const queues = new Map<unknown, Queued[]>()
  const share = createFairShare(limits.waiting)
  let closed = false

  function run(job: Job): Promise<void> {
    if (closed || !share.take(job.key)) return Promise.reject(new ThreadFailure('busy'))
    return new Promise((done, failed) => {
      const queue = queues.get(job.key)
      const queued = { ...job, done, failed }
      if (queue) queue.push(queued)
      else queues.set(job.key, [queued])
      next()
    })
  }

  function next(): void {
    if (closed) return
    const idle = [...threads].find((thread) => !thread.job)
    if (!idle && threads.size >= limits.workers) return
    const job = takeNext()
    if (job) start(idle ?? spawn(), job)
  }

  /** Of the keys in turn, the first that may have another thread. */
  function takeNext(): Queued | undefined {
    for (const [key, queue] of queues) {
      if ([...threads].filter(({ job }) => job?.key === key).length >= limits.perKey) continue
      const job = queue.shift()
      queues.delete(key)
      if (queue.length > 0) queues.set(key, queue)
      share.release(key)
      return job
    }
    return undefined
  }

  function spawn(): Thread {
    const worker = new Worker(script, { resourceLimits: { maxOldGenerationSizeMb: limits.memoryMebibytes } })
    const thread: Thread = { worker, ready: false, job: undefined, timer: undefined }
    threads.add(thread)
    worker.once('message', () => {
      thread.ready = true
      worker.on('message', (part: Part) => receive(thread, part))
      if (thread.job) begin(thread, thread.job)
    })
    worker.on('error', (error) => lose(thread, failureOf(error)))
    worker.on('exit', () => lose(thread, new ThreadFailure('broken')))
    // Only a job that is under way keeps the process alive.
    worker.unref()
    return thread
  }

  function start(thread: Thread, job: Queued): void {
    clearTimeout(thread.timer)
    thread.job = job
    thread.worker.ref()
    if (thread.ready) begin(thread, job)
  }

  function begin(thread: Thread, job: Queued): void {
    thread.timer = setTimeout(() => lose(thread, new ThreadFailure('too-slow')), limits.secondsPerJob * 1000)
    thread.worker.postMessage(job.message)
  }

  function receive(thread: Thread, { part, isLast }: Part): void {
    thread.job?.onPart(part)
    // In a later turn of the event loop: parts that lie ready would be taken in all at once.
    if (isLast) finish(thread)
    else setImmediate(() => thread.worker.postMessage(nextPart))
  }

  function finish(thread: Thread): void {
    clearTimeout(thread.timer)
    const { job } = thread
    thread.job = undefined
    thread.worker.unref()
    if (job?.isLast) dismiss(thread)
    else thread.timer = setTimeout(() => dismiss(thread), limits.idleSeconds * 1000).unref()
    job?.done()
    next()
  }

  function lose(thread: Thread, failure: ThreadFailure): void {
    const { job } = thread
    thread.job = undefined
    dismiss(thread)
    job?.failed(failure)
    next()
  }

  function dismiss(thread: Thread): void {
    clearTimeout(thread.timer)
    threads.delete(thread)
    void thread.worker.terminate()
  }

  /** What is under way and what waits comes to nothing. */
  async function close(): Promise<void> {
    closed = true
    const waiting = [...queues.values()].flat()
    queues.clear()
    for (const job of waiting) job.failed(new ThreadFailure('busy'))
    await Promise.all([...threads].map((thread) => thread.worker.terminate()))
  }

  return { run, close }
}

function failureOf(error: unknown): ThreadFailure {
  const isMemory = (error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY'
  return new ThreadFailure(isMemory ? 'too-large' : 'broken', error)
}
