import { answerJobs } from '../../kernel/threads/thread-jobs.ts'
import { type FileRange, partsOf } from './results-parts.ts'

// biome-ignore lint/correctness/useYield: the parts come at once
answerJobs(function* (document: FileRange) {
  return partsOf(document)
})
