export { severityName } from './feeds/codes.ts'
export { advisoryRevision } from './matching/advisory-revision.ts'
export type { Matching } from './matching/matching.ts'
export { severityOfVersion, vulnerabilitiesOf } from './matching/version-advisories.ts'
