export { find as findDeployment, listWithIds } from './store.ts'
