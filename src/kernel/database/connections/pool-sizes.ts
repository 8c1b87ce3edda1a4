/** What a process takes in all. */
export const usualConnections = 32

export type PoolSizes = { readers: number; writers: number; identity: number; worker: number }

/** Of a process: one that feels whether the database answers, two that listen, one for feeds. */
const besides = 4
const parts = { readers: 8, writers: 12, identity: 4, worker: 4 }

/** How many connections each kind of work gets of what a process may take. */
export function shareConnections(most: number): PoolSizes {
  const whole = Object.values(parts).reduce((sum, part) => sum + part)
  const share = (part: number) => Math.max(1, Math.floor(((most - besides) * part) / whole))
  const { readers, writers, identity, worker } = parts
  return { readers: share(readers), writers: share(writers), identity: share(identity), worker: share(worker) }
}
