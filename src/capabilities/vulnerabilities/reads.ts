export { knownAdvisories } from './known.ts'
export type { Matching } from './matching.ts'
