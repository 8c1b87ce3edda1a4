/**
 * How often a property is tried, or a process is killed: as often as is bearable for every change, and ten times as often by
 * `npm run test:deep`, which runs the files that use this.
 */
export function often(usual: number): number {
  return process.env.GATEHOUSE_DEEP ? usual * 10 : usual
}
