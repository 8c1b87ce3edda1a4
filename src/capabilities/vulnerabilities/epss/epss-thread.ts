import { syncInThread } from '../../../feeds/sync-thread.ts'
import { activate, feedStatus } from './activate.ts'

await syncInThread(feedStatus, activate)
