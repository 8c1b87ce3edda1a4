export type { FirewallEvent } from './event.ts'
export type { Artifact as GivenArtifact } from './event-batch.ts'
export {
  type Exposed,
  type ExposureRow,
  expose,
  type FetchedArtifact,
  fetchedArtifacts,
  hasStandingExposures,
  listExposures,
  type StandingExposure,
  standingExposures,
  takeBack,
} from './exposure-store.ts'
