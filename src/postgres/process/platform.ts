import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statfsSync } from 'node:fs'

/** Everything that differs between Linux and macOS. */

export type Process = { pid: number; command: string[]; zombie: boolean }

const MIB = 1024 * 1024

/** sun_path without its closing zero byte: unix(7), and sys/un.h of macOS. */
export const SOCKET_PATH_LIMIT = process.platform === 'darwin' ? 103 : 107

/**
 * Linux names dynamic shared memory after files in /dev/shm, which containers often cut to 64 MiB: too little for a
 * parallel query. Files in the data folder are slower but have room.
 */
export function dynamicSharedMemory(): 'posix' | 'mmap' {
  if (process.platform !== 'linux') return 'posix'
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    return bavail * bsize >= 512 * MIB ? 'posix' : 'mmap'
  } catch {
    return 'mmap'
  }
}

export function listProcesses(): Process[] {
  if (process.platform === 'darwin') return listWithPs([])
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (findProcess(Number(name)) ?? []) : []))
}

export function findProcess(pid: number): Process | undefined {
  if (process.platform === 'darwin') return listWithPs(['-p', String(pid)])[0]
  try {
    // Command lines are open to everybody; /proc/<pid>/cwd and exe are closed even to root in an ordinary container.
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return { pid, command, zombie: stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z') }
  } catch {
    return undefined
  }
}

function listWithPs(which: string[]): Process[] {
  const args = [...(which.length ? which : ['-ax']), '-ww', '-o', 'pid=,state=,command=']
  let output: string
  try {
    output = execFileSync('ps', args, { encoding: 'utf8', maxBuffer: 16 * MIB })
  } catch {
    return []
  }
  return output.split('\n').flatMap((line) => {
    const [, pid, state, command] = /^\s*(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? []
    return pid ? [{ pid: Number(pid), command: command!.split(' '), zombie: state!.startsWith('Z') }] : []
  })
}
