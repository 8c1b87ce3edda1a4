export { listWithIds } from './store.ts'
