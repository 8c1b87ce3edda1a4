import { setTimeout as delay } from 'node:timers/promises'
import type { Run, Server } from './server.ts'
import type { Log } from './server-log.ts'

export type Supervisor = { stop(): Promise<void> }

/** The first restart is immediate; a server that keeps dying is given longer and longer pauses. */
export function pauseMs(failures: number): number {
  return failures <= 1 ? 0 : Math.min(250 * 2 ** (failures - 2), 5000)
}

const STEADY_MS = 10_000

/** Starts the server, and starts it again whenever it goes without having been asked to. */
export async function supervise(server: Server, log: Log): Promise<Supervisor> {
  const stopping = new AbortController()
  let run: Run | undefined = await server.start()
  const watching = watch()

  async function watch(): Promise<void> {
    let failures = 0
    while (run) {
      const since = Date.now()
      const status = await run.exited
      run = undefined
      if (stopping.signal.aborted) return
      log('PostgreSQL has stopped unexpectedly; starting it again', { status }, 'error')
      if (Date.now() - since > STEADY_MS) failures = 0
      while (!run && !stopping.signal.aborted) {
        failures++
        await delay(pauseMs(failures), undefined, { signal: stopping.signal }).catch(() => {})
        if (stopping.signal.aborted) return
        run = await restart()
      }
    }
  }

  async function restart(): Promise<Run | undefined> {
    try {
      // A killed server leaves processes that finish what they are at before they notice.
      if (!(await server.clear())) throw new Error('Processes of the earlier run cannot be stopped')
      const next = await server.start(stopping.signal)
      log('PostgreSQL runs again', {}, 'info')
      return next
    } catch (error) {
      if (stopping.signal.aborted) return undefined
      const said = error instanceof Error ? error.message : String(error)
      log('PostgreSQL could not be started again', { error: said }, 'error')
      return undefined
    }
  }

  return {
    async stop() {
      stopping.abort()
      run?.stop()
      await watching
      await server.clear()
    },
  }
}
