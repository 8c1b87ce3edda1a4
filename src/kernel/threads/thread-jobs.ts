import { parentPort } from 'node:worker_threads'
import { nextPart, type Part } from './thread-pool.ts'

/** The thread's side of a pool: answers each message with the parts that come of it, each when it is asked for. */
export function answerJobs<Message>(work: (message: Message) => Iterator<unknown, unknown>): void {
  let parts: Iterator<unknown, unknown>
  parentPort!.on('message', (message: Message | typeof nextPart) => {
    if (message !== nextPart) parts = work(message)
    const { value, done = false } = parts.next()
    parentPort!.postMessage({ part: value, isLast: done } satisfies Part, handedOver(value))
  })
  parentPort!.postMessage('ready')
}

/** Bytes that fill their memory need not be copied: the thread is done with them. */
function handedOver(value: unknown): ArrayBuffer[] {
  return Object.values(value ?? {}).flatMap((part) =>
    part instanceof Uint8Array && part.buffer instanceof ArrayBuffer && part.byteLength === part.buffer.byteLength
      ? [part.buffer]
      : [],
  )
}
