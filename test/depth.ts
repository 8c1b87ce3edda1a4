/**
 * How often a property is tried, or a process is killed: as often as is bearable for every change, and ten times as often,
 * or as often as is said, by `npm run test:deep`, which runs the files that use this.
 */
export function often(usual: number, deep = usual * 10): number {
  return process.env.GATEHOUSE_DEEP ? deep : usual
}
