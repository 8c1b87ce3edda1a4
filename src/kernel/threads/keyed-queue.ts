import { createSemaphore } from './semaphore.ts'

/** One at a time for each key, in the order in which they came; nobody waits for ever. */
export function createKeyedQueue<Key>(longestWaitMs: number) {
  const queues = new Map<Key, { line: ReturnType<typeof createSemaphore>; users: number }>()

  async function run<T>(key: Key, work: () => Promise<T>): Promise<T> {
    const queue = queues.get(key) ?? { line: createSemaphore(1, longestWaitMs), users: 0 }
    queues.set(key, queue)
    queue.users++
    try {
      return await queue.line.run(work)
    } finally {
      if (--queue.users === 0) queues.delete(key)
    }
  }

  return { run, size: () => queues.size }
}
