export { listFeeds } from './advisory-store.ts'
