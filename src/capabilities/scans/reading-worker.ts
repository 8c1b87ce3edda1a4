import { parentPort } from 'node:worker_threads'
import { type FilePlace, readFile } from './read-file.ts'

/** The thread that reads large files, one at a time. */
parentPort!.on('message', ({ file, path }: { file: FilePlace; path: string }) => {
  parentPort!.postMessage(readFile(file, path))
})
parentPort!.postMessage('ready')
