export { firstBreak } from './store.ts'
