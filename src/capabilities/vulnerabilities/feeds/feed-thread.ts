import { syncInThread } from '../../../feeds/sync-thread.ts'
import { activate, book } from './activate.ts'

await syncInThread(book, activate)
