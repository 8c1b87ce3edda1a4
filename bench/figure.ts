/** One measured number and what it has to reach. */
export type Figure = {
  name: string
  value: number
  unit: string
  /** At least or at most; undefined where it is only told. */
  limit?: { atLeast: number } | { atMost: number }
  detail?: string
}

export type Benchmark = { name: string; run(): Promise<Figure[]> }

export function reached({ value, limit }: Figure): boolean {
  if (!limit) return true
  return 'atLeast' in limit ? value >= limit.atLeast : value <= limit.atMost
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
