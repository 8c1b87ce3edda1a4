export type { Matching } from './matching.ts'
