export { advisoryRevision } from './matching/advisory-revision.ts'
export type { Matching } from './matching/matching.ts'
