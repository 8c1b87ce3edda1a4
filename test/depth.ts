/** Whether this is `npm run test:deep`, which runs the files that use this. */
export const isDeep = Boolean(process.env.GATEHOUSE_DEEP)

/**
 * How often a property is tried, or a process is killed: as often as is bearable for every change, and ten times as often,
 * or as often as is said, by `npm run test:deep`, which runs the files that use this.
 */
export function often(usual: number, deep = usual * 10): number {
  return isDeep ? deep : usual
}

/** For the `skip` of a test that `npm run test:deep` runs and `npm test` does not: why it does not. */
export function deepOnly(why: string): string | false {
  return isDeep ? false : `${why}: npm run test:deep does`
}
