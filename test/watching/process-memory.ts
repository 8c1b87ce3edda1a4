import { readdirSync, readFileSync } from 'node:fs'

/** Of a process and all that it has started, as Linux counts them. */
export type MemoryPeak = {
  /** The most that the process itself ever had (VmHWM). */
  serverBytes: number
  /** The most that all of them had at one time, memory that they share counted once (Pss). */
  togetherBytes: number
}

/** Watches until it is told to end. Linux alone says how much memory processes share. */
export function watchMemory(pid: number): { end(): MemoryPeak } {
  let togetherBytes = 0
  let serverBytes = 0
  const look = () => {
    serverBytes = Math.max(serverBytes, field(`/proc/${pid}/status`, 'VmHWM'))
    const together = familyOf(pid).reduce((sum, each) => sum + field(`/proc/${each}/smaps_rollup`, 'Pss'), 0)
    togetherBytes = Math.max(togetherBytes, together)
  }
  const timer = setInterval(look, 100)
  return {
    end() {
      clearInterval(timer)
      look()
      return { serverBytes, togetherBytes }
    },
  }
}

function field(file: string, name: string): number {
  try {
    return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(file, 'utf8'))?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}

function familyOf(root: number): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
    } catch {
      // It has ended since.
    }
  }
  const family = [root]
  for (const pid of family) for (const [child, parent] of parents) if (parent === pid) family.push(child)
  return family
}
