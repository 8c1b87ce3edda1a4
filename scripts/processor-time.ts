import { readFileSync } from 'node:fs'

/** Linux counts what /proc tells of time in hundredths of a second, on every architecture we run on. */
const ticksPerSecond = 100

/**
 * Seconds of processor time of this process and of all that it started and waited for, with theirs. Undefined where the
 * system does not tell.
 */
export function processorSeconds(): number | undefined {
  if (process.platform !== 'linux') return undefined
  // Fields 14 to 17 of proc(5); the second is the name, which stands in parentheses and may hold anything.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').pop()!.split(' ')
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  return Math.round(ticks / ticksPerSecond)
}
