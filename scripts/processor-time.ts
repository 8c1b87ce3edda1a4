import { readFileSync } from 'node:fs'

/** Linux tells programs of time in hundredths of a second, whatever it counts in itself. */
const tickMs = 10

/** What the processor did for a process, and for those that it started and that have ended. */
export type ProcessorTime = { parent: number; ms: number; endedMs: number }

/** Undefined where there is no such process, or no /proc. */
export function processorTimeOf(pid: number | 'self'): ProcessorTime | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field of proc(5) is the name, which stands in parentheses and may hold anything.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [parent = 0, user = 0, system = 0, endedUser = 0, endedSystem = 0] = [1, 11, 12, 13, 14].map((n) => fields[n])
    return { parent, ms: (user + system) * tickMs, endedMs: (endedUser + endedSystem) * tickMs }
  } catch {
    return undefined
  }
}
