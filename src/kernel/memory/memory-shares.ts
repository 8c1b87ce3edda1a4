/** Where there is as much, nothing has to be smaller than usual. */
const plentyBytes = 8 * 1024 ** 3
const leastThreadMebibytes = 128

type ThreadMemory = { workers: number; perKey: number; memoryMebibytes: number }

/** What the threads of a pool may take where memory is short: fewer at first, then less for each. */
export function threadShare({ workers, perKey, memoryMebibytes }: ThreadMemory, usableBytes: number): ThreadMemory {
  const together = workers * memoryMebibytes * Math.min(1, usableBytes / plentyBytes)
  const fewer = Math.min(workers, Math.max(1, Math.floor(together / memoryMebibytes)))
  const each = Math.min(memoryMebibytes, Math.max(leastThreadMebibytes, Math.floor(together / fewer)))
  return { workers: fewer, perKey: Math.min(perKey, Math.max(1, fewer - 1)), memoryMebibytes: each }
}

/** How many uploads are received at once, and how many large ones are worked on: what was read of them is held in memory. */
export function uploadShare(usableBytes: number): { atOnce: number; largeAtOnce: number } {
  const within = (least: number, value: number, most: number) => Math.min(most, Math.max(least, Math.floor(value)))
  return {
    atOnce: within(16, usableBytes / (64 * 1024 ** 2), 128),
    largeAtOnce: within(1, usableBytes / 1024 ** 3, 8),
  }
}
