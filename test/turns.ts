/**
 * Does `work` and tells how much time of the processor its thread used at most between two turns of the event loop, that is
 * how long everybody else had to wait, and in all: not the time of day, since a loaded machine makes nobody's work longer.
 */
export async function turnsOf<T>(work: () => Promise<T>) {
  let longest = 0
  let turns = 0
  let isDone = false
  const start = process.threadCpuUsage()
  let before = start
  const look = () => {
    const { user, system } = process.threadCpuUsage(before)
    longest = Math.max(longest, user + system)
    turns++
    before = process.threadCpuUsage()
    if (!isDone) setImmediate(look)
  }
  const done = work()
  setImmediate(look)
  const result = await done
  isDone = true
  look()
  const { user, system } = process.threadCpuUsage(start)
  return { result, longestMs: Math.round(longest / 1000), totalMs: Math.round((user + system) / 1000), turns }
}
