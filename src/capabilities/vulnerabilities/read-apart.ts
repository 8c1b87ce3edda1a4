import { Worker } from 'node:worker_threads'
import type { SyncOutcome, SyncTask } from '../../feeds/keeper.ts'
import type { ConnectionOptions } from '../../kernel/connection.ts'

export type ThreadTask = { connection: ConnectionOptions; task: SyncTask }

/** Takes a feed over in a thread of its own, which ends with it. */
export function readApart(given: ThreadTask): Promise<SyncOutcome> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./feed-thread.ts', import.meta.url), { workerData: given })
    worker.once('message', resolve)
    worker.once('error', reject)
    // After a message or an error this comes too late to matter.
    worker.once('exit', () => reject(new Error('the thread ended without a result')))
  })
}
