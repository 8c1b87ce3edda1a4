import { answerJobs } from '../../../kernel/threads/thread-jobs.ts'
import { type FilePlace, readFile } from './read-file.ts'

/** The thread that reads large files, one at a time. */
// biome-ignore lint/correctness/useYield: a reading is one part
answerJobs(function* ({ file, path }: { file: FilePlace; path: string }) {
  return readFile(file, path)
})
