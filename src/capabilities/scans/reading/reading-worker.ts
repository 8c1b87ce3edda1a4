import { answerJobs } from '../../../kernel/threads/thread-jobs.ts'
import { pastIn } from './past-firewall.ts'
import { type FilePlace, readFile } from './read-file.ts'

/** The thread that reads large files, one at a time. */
// biome-ignore lint/correctness/useYield: a reading is one part
answerJobs(function* ({ file, path, firewall }: { file: FilePlace; path: string; firewall?: string }) {
  return firewall === undefined ? readFile(file, path) : pastIn(file, path, firewall)
})
