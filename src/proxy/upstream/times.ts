/** How long an upstream is waited for, in milliseconds. */
export type UpstreamTimes = {
  /** Until it begins to answer. */
  headersMs: number
  /** The longest silence within an answer. */
  idleMs: number
  /** For a whole document, and for a whole artifact: one that only trickles is given up then. */
  documentMs: number
  artifactMs: number
  /** After this long a document that is known from before is served as it was; the upstream may take its time to answer. */
  patienceMs: number
}

/** pip waits 15 seconds by itself, and others longer: what is known already reaches even the most impatient. */
export const usualTimes: UpstreamTimes = {
  headersMs: 30_000,
  idleMs: 30_000,
  documentMs: 60_000,
  artifactMs: 30 * 60_000,
  patienceMs: 5_000,
}
