import { answerJobs } from '../../kernel/threads/thread-jobs.ts'
import { perform } from './tasks.ts'

/** The thread that reads and rewrites the large documents of registries. */
answerJobs(perform)
