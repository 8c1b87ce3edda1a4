import { readdirSync, readFileSync } from 'node:fs'
import { inspectEmbedded } from '../src/postgres/inspect.ts'
import type { BenchServer } from './server.ts'

/** Of /proc: Linux counts in hundredths of a second for programs, whatever it counts in itself. */
const tickMs = 10

/**
 * Milliseconds of the processor that a server and its PostgreSQL have taken so far: what they do, however busy the machine is
 * with other things. Undefined where there is no /proc.
 */
export function processorMs(server: BenchServer): number | undefined {
  const postmaster = inspectEmbedded(server.folder).database?.server?.pid
  const own = statOf(server.pid)
  const first = postmaster === undefined ? undefined : statOf(postmaster)
  if (!own || !first) return undefined
  const backends = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(Number(name)))
    .filter((stat) => stat?.parent === postmaster)
  // What a backend took that has ended is with the one that started it.
  return own.ms + first.ms + first.endedMs + backends.reduce((sum, stat) => sum + stat!.ms, 0)
}

function statOf(pid: number): { parent: number; ms: number; endedMs: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
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
