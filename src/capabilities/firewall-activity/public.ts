export {
  type AskedByWhom,
  type AskedName,
  type AskedVersion,
  namesAskedByWhom,
  namesGiven,
  versionsAskedByWhom,
  versionsGiven,
} from './asked-store.ts'
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
export type { FirewallEvent } from './recording/event.ts'
export type { Artifact as GivenArtifact } from './recording/event-batch.ts'
export type { RefusedArtifact } from './recording/event-store.ts'
export { refusedPeople } from './refusals/people-store.ts'
/** As far back as a trial of the firewall looks where nobody says it. */
export const usualTrialDays = 30
