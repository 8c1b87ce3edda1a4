import { answerJobs } from '../../../kernel/threads/thread-jobs.ts'
import { pastIn } from './past-firewall.ts'
import { type FilePlace, readFile } from './read-file.ts'
import { inPieces } from './reading-parts.ts'

/** The thread that reads large files, one at a time. */
answerJobs(function* ({ file, path, firewall }: { file: FilePlace; path: string; firewall?: string }) {
  if (firewall !== undefined) return pastIn(file, path, firewall)
  return yield* inPieces(readFile(file, path))
})
