export type { FirewallEvent } from './event.ts'
export { type ExposureRow, expose, fetchedArtifacts, listExposures, takeBack } from './exposure-store.ts'
