import type { FileRange } from '../../kernel/disk/file-range.ts'
import { answerJobs } from '../../kernel/threads/thread-jobs.ts'
import { partsOf } from './results-parts.ts'

// biome-ignore lint/correctness/useYield: the parts come at once
answerJobs(function* (document: FileRange) {
  return partsOf(document)
})
