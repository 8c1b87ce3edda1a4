/** Some minutes of looks; a longer lag is told as that long. */
const mostSamples = 2_000

/** How far a replica is behind: by when the primary was where the replica is not yet. */
export function createReplicaLag(now: () => number = () => performance.now()) {
  /** Positions of the primary that were not replayed when last looked, oldest first. */
  let samples: { at: number; lsn: number }[] = []
  let behindBytes = 0

  function note(primary: number, replayed: number): void {
    if (samples.length < mostSamples) samples.push({ at: now(), lsn: primary })
    const first = samples.findIndex(({ lsn }) => lsn > replayed)
    samples = first < 0 ? [] : samples.slice(first)
    behindBytes = Math.max(0, primary - replayed)
  }

  function clear(): void {
    samples = []
    behindBytes = 0
  }

  return { note, clear, bytes: () => behindBytes, seconds: () => (samples[0] ? (now() - samples[0].at) / 1_000 : 0) }
}
