export { severityName, severityWord } from './feeds/codes.ts'
export { advisoriesInUse, type EcosystemAdvisory } from './matching/advisories-in-use.ts'
export { advisoriesLoaded, advisoryRevision } from './matching/advisory-revision.ts'
export { type ComponentMatch, matchComponents } from './matching/component-matches.ts'
export { advisedVersion } from './matching/fix-advice.ts'
export type { Matching } from './matching/matching.ts'
export { auditPackages, knowsEcosystem, type PackageAdvisory } from './matching/package-audit.ts'
export { rangesOfPackage } from './matching/package-ranges.ts'
export { severityOfVersion, vulnerabilitiesOf, vulnerabilityIdsByPackage } from './matching/version-advisories.ts'
export {
  type AdvisoryRecordRow,
  listRecords,
  listRecordsAbout,
  modifiedLines,
  type NamedRecord,
  readRevision,
  recordsNaming,
} from './records/record-store.ts'
