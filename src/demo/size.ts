/** How much of everything there is. */
export type DemoSize = {
  repositories: number
  daysBetweenScans: number
  /** Things that are wrong at some time, for each repository; a few more or less. */
  weaknesses: number
  /** For each repository, a few more or less. */
  pullRequests: number
  /** Packages fetched on a working day. */
  fetches: number
  issues: number
}

export const demoSizes = {
  small: { repositories: 12, daysBetweenScans: 91, weaknesses: 12, pullRequests: 2, fetches: 3, issues: 12 },
  medium: { repositories: 40, daysBetweenScans: 61, weaknesses: 30, pullRequests: 5, fetches: 10, issues: 40 },
  large: { repositories: 40, daysBetweenScans: 122, weaknesses: 1_280, pullRequests: 6, fetches: 20, issues: 400 },
} satisfies Record<string, DemoSize>

export type DemoSizeName = keyof typeof demoSizes
