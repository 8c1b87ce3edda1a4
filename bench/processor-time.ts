import { readdirSync } from 'node:fs'
import { processorTimeOf } from '../scripts/processor-time.ts'
import { inspectEmbedded } from '../src/postgres/inspect.ts'
import type { BenchServer } from './server.ts'

/**
 * Milliseconds of the processor that a server and its PostgreSQL have taken so far: what they do, however busy the machine is
 * with other things. Undefined where there is no /proc.
 */
export function processorMs(server: BenchServer): number | undefined {
  const postmaster = inspectEmbedded(server.folder).database?.server?.pid
  const own = processorTimeOf(server.pid)
  const first = postmaster === undefined ? undefined : processorTimeOf(postmaster)
  if (!own || !first) return undefined
  const backends = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => processorTimeOf(Number(name)))
    .filter((stat) => stat?.parent === postmaster)
  // What a backend took that has ended is with the one that started it.
  return own.ms + first.ms + first.endedMs + backends.reduce((sum, stat) => sum + stat!.ms, 0)
}
