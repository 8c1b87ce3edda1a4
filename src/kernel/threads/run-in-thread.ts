import { Worker } from 'node:worker_threads'

/** Runs a script in a thread of its own, which ends with the one message that it answers. */
export function runInThread<Result>(script: URL, workerData: unknown): Promise<Result> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(script, { workerData })
    worker.once('message', resolve)
    worker.once('error', reject)
    // After a message or an error this comes too late to matter.
    worker.once('exit', () => reject(new Error('the thread ended without a result')))
  })
}
