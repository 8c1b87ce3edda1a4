export { miscounts } from './count-store.ts'
