import type { Clock } from '../kernel/time/clock.ts'

export type DemoClock = Clock & { goBack(daysAgo: number): void; goHome(): void }

const dayMs = 86_400_000

/** Goes on like any clock, from some days ago if it is told so. */
export function createDemoClock(): DemoClock {
  let behindMs = 0
  return {
    now: () => new Date(Date.now() - behindMs),
    goBack: (daysAgo) => {
      behindMs = daysAgo * dayMs
    },
    goHome: () => {
      behindMs = 0
    },
  }
}
