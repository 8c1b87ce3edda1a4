import { Worker } from 'node:worker_threads'
import type { ConnectionOptions } from '../../kernel/connection.ts'
import type { Activation } from './activate.ts'
import type { LoadedIndex } from './load-index.ts'

export type ThreadTask = {
  connection: ConnectionOptions
  task: { kind: 'load'; after: number } | SyncTask
}

export type SyncTask = {
  kind: 'sync'
  place: string
  path: string
  /** Undefined for what lies on this machine: found out there, because a folder may have very many files. */
  tag: string | undefined
  knownTag: string
  force: boolean
  now: Date
}

export type ThreadResult = { loaded: LoadedIndex } | { activated: Activation } | { current: true } | { refused: string }

/** Does it in a thread of its own, which ends with it. */
export function runThread(given: ThreadTask): Promise<ThreadResult> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./advisory-thread.ts', import.meta.url), { workerData: given })
    worker.once('message', resolve)
    worker.once('error', reject)
    // After a message or an error this comes too late to matter.
    worker.once('exit', () => reject(new Error('the thread ended without a result')))
  })
}
