import { setTimeout as delay } from 'node:timers/promises'
import { GUARD } from './guard.ts'
import { listProcesses, type Process } from './platform.ts'

export type Role = 'postmaster' | 'child' | 'initdb' | 'guard'

/**
 * What a process is to the database with this marker; undefined if it is not ours. The marker holds the database's
 * random id, so neither a reused process id nor somebody else's PostgreSQL can be mistaken for it.
 */
export function roleOf({ command, zombie }: Process, marker: string): Role | undefined {
  const text = command.join(' ')
  if (zombie || !text.includes(marker)) return undefined
  if (text.startsWith(`postgres: ${marker}: `)) return 'child'
  if (!text.includes(` cluster_name=${marker} `)) return undefined
  if (/^\S*\bsh -c /.test(text)) return text.includes(` ${GUARD} `) ? 'guard' : undefined
  if (text.includes('/initdb -D ')) return 'initdb'
  return text.includes('/postgres -') ? 'postmaster' : undefined
}

export function findOurs(marker: string): { pid: number; role: Role }[] {
  return listProcesses().flatMap((process) => {
    const role = roleOf(process, marker)
    return role ? [{ pid: process.pid, role }] : []
  })
}

const PATIENCE_MS = { fast: 2000, immediate: 3000, total: 3900 }

/**
 * Ends what an earlier Gatehouse left running, and waits until it is gone: an orderly shutdown if that is quick, else
 * as a crash would, which costs a recovery but nothing acknowledged. False if something will not die.
 */
export async function stopLeftovers(marker: string, log: (message: string, detail?: object) => void): Promise<boolean> {
  const start = Date.now()
  for (let round = 0; ; round++) {
    const ours = findOurs(marker)
    if (ours.length === 0) return true
    if (round === 0) log('Stopping what an earlier run left behind', { processes: ours })
    const elapsed = Date.now() - start
    if (elapsed > PATIENCE_MS.total) return false
    const postmasters = ours.filter(({ role }) => role === 'postmaster')
    for (const { pid } of ours.filter(({ role }) => role === 'initdb')) send(pid, 'SIGKILL')
    if (elapsed > PATIENCE_MS.immediate || postmasters.length === 0) for (const { pid } of ours) send(pid, 'SIGKILL')
    else for (const { pid } of postmasters) send(pid, elapsed > PATIENCE_MS.fast ? 'SIGQUIT' : 'SIGINT')
    await delay(20)
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // Gone in the meantime.
  }
}
