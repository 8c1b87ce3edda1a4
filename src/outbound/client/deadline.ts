import { OutboundError } from '../outbound-error.ts'

export type Deadline = ReturnType<typeof createDeadline>

const longestTimerMs = 2 ** 31 - 1

/** One signal for the whole exchange, redirects and body included: it fires when the time is up or the caller gives up. */
export function createDeadline(timeoutMs: number, caller: AbortSignal | undefined) {
  const control = new AbortController()
  const late = () =>
    control.abort(new OutboundError('timeout', `The request took longer than ${timeoutMs / 1000} seconds.`))
  const giveUp = () => control.abort(new OutboundError('aborted', 'The request was called off.'))
  const timer = setTimeout(late, Math.min(timeoutMs, longestTimerMs))
  if (caller?.aborted) giveUp()
  caller?.addEventListener('abort', giveUp, { once: true })

  /** The HTTP client notices an abort only once it has a connection; this notices at once. */
  function race<T>(work: Promise<T>): Promise<T> {
    const { signal } = control
    return new Promise((resolve, reject) => {
      const stop = () => reject(signal.reason)
      if (signal.aborted) stop()
      signal.addEventListener('abort', stop, { once: true })
      work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
    })
  }

  function clear(): void {
    clearTimeout(timer)
    caller?.removeEventListener('abort', giveUp)
  }

  return { signal: control.signal, race, clear }
}
