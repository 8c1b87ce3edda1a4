import type { TimedEvent } from './event-batch.ts'

type Waiting = { event: TimedEvent; done: () => void; failed: (error: unknown) => void }

/** Refusals share transactions: whoever comes while one is under way goes with the next, and each waits for its own. */
export function createRefusedRequests(write: (events: TimedEvent[]) => Promise<void>) {
  const queues = new Map<number, Waiting[]>()
  const writing = new Map<number, Promise<void>>()

  function record(event: TimedEvent): Promise<void> {
    const { deploymentId } = event
    return new Promise((done, failed) => {
      const queue = queues.get(deploymentId) ?? []
      queues.set(deploymentId, queue)
      queue.push({ event, done, failed })
      if (writing.has(deploymentId)) return
      writing.set(deploymentId, writeAll(deploymentId))
    })
  }

  async function writeAll(deploymentId: number): Promise<void> {
    for (let queue = queues.get(deploymentId); queue; queue = queues.get(deploymentId)) {
      queues.delete(deploymentId)
      try {
        await write(queue.map(({ event }) => event))
        for (const { done } of queue) done()
      } catch (error) {
        for (const { failed } of queue) failed(error)
      }
    }
    // Not a moment later: who comes in between would wait for a transaction that nobody begins.
    writing.delete(deploymentId)
  }

  async function close(): Promise<void> {
    await Promise.all(writing.values())
  }

  return { record, close }
}
