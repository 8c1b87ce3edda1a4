import { setTimeout as delay } from 'node:timers/promises'
import { GUARD } from './guard.ts'
import { listProcesses, type Process } from './platform.ts'
import type { Log } from './server-log.ts'

/** A helper is the server doing one thing without clients: for initdb, or to set a password. It ends with its input. */
export type Role = 'postmaster' | 'child' | 'initdb' | 'helper' | 'guard'

/**
 * What a process is to the database with this marker; undefined if it is not ours. The marker holds the database's
 * random id, so neither a reused process id nor somebody else's PostgreSQL can be mistaken for it.
 */
export function roleOf({ command, zombie }: Process, marker: string): Role | undefined {
  const text = command.join(' ')
  if (zombie) return undefined
  if (text.startsWith(`postgres: ${marker}: `)) return 'child'
  if (!text.includes(` cluster_name=${marker} `)) return undefined
  if (/^\S*\bsh -c /.test(text)) return text.includes(` ${GUARD} `) ? 'guard' : undefined
  if (text.includes('/initdb -D ')) return 'initdb'
  if (text.includes('/postgres -D ')) return 'postmaster'
  return text.includes('/postgres --') ? 'helper' : undefined
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
export async function stopLeftovers(marker: string, log: Log): Promise<boolean> {
  const start = Date.now()
  for (let round = 0; ; round++) {
    const ours = findOurs(marker)
    if (ours.length === 0) return true
    if (round === 0) log('Stopping what an earlier run left behind', { processes: ours })
    const elapsed = Date.now() - start
    if (elapsed > PATIENCE_MS.total) return false
    const inTime = elapsed < PATIENCE_MS.fast
    const leaders = ours.filter(({ role }) => role === 'postmaster' || role === 'initdb')
    const ending = inTime && ours.some(({ role }) => role === 'helper')
    if (leaders.length > 0 && elapsed < PATIENCE_MS.immediate) {
      for (const { pid } of leaders) send(pid, inTime ? 'SIGINT' : 'SIGQUIT')
    } else if (!ending) {
      for (const { pid } of ours) send(pid, 'SIGKILL')
    }
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
