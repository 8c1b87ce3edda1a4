import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { asUser, type Identity } from '../cluster/identity.ts'

/** The name under which the guard shows in the process list, beside the marker of its database. */
export const GUARD = 'gatehouse-guard'

/**
 * Runs a program and stops it when standard input ends: when Gatehouse asks for it, and also when Gatehouse is killed
 * in a way that leaves it no last word. A shell, because it can run as PostgreSQL's user where Node may be out of reach.
 *
 * - It ignores polite signals: a service manager sends them to every process at once, and Gatehouse drains first.
 * - SIGINT asks for a fast shutdown, and is repeated because one that comes before PostgreSQL has set up its
 *   handlers is lost (shells start background jobs with SIGINT ignored).
 * - After 20 s SIGQUIT (stop without a checkpoint), after 25 s SIGKILL; neither loses what was acknowledged.
 */
const SCRIPT = `
trap '' HUP INT TERM PIPE
exec 3<&0 </dev/null
"$@" 3<&- >&2 &
server=$!
{
  while read -r line <&3; do :; done
  tries=0
  while kill -0 $server; do
    if [ $tries -lt 200 ]; then kill -INT $server
    elif [ $tries -lt 250 ]; then kill -QUIT $server
    else kill -KILL $server
    fi
    tries=$((tries + 1))
    sleep 0.1
  done
} >/dev/null 2>&1 &
watcher=$!
exec 3<&- 2>/dev/null
echo $server
wait $server
status=$?
kill -KILL $watcher
exit $status
`

export type Guarded = {
  /** The program's own process id, once it runs. */
  pid(): number | undefined
  /** Its exit status, as a shell tells it: 128 + n for signal n. */
  exited: Promise<number>
  /** Asks it to stop; `exited` says when it has. */
  stop(): void
}

export function runGuarded(
  program: string,
  args: string[],
  options: { identity: Identity; onLine: (line: string) => void },
): Guarded {
  const child = spawn('/bin/sh', ['-c', SCRIPT, GUARD, program, ...args], {
    ...asUser(options.identity),
    cwd: '/',
    // A session of its own, so that Ctrl-C in the terminal reaches Gatehouse alone.
    detached: true,
    // Nothing inherited: PGDATA, PGOPTIONS, LD_PRELOAD and the like are not meant for this server.
    env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.on('error', () => {}) // it may be gone already when we let go of it
  createInterface(child.stderr).on('line', options.onLine)
  let pid: number | undefined
  createInterface(child.stdout).once('line', (line) => {
    pid = Number(line)
  })
  const exited = new Promise<number>((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code) => {
      // Its last words, unless a straggler keeps the pipe open.
      const drained = child.stderr.readableEnded ? Promise.resolve() : once(child.stderr, 'end')
      Promise.race([drained, delay(200)]).then(() => resolve(code ?? 137), reject)
    })
  })
  exited.catch(() => {})
  return {
    pid: () => pid,
    exited,
    stop: () => child.stdin.destroy(),
  }
}
