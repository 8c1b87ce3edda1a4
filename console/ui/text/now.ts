import { useSyncExternalStore } from 'react'

const everyMs = 30_000
const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

function tick(): void {
  now = Date.now()
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  if (timer === undefined) {
    timer = setInterval(tick, everyMs)
    // A window that nobody saw for a while is right when it is seen.
    document.addEventListener('visibilitychange', tick)
  }
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    document.removeEventListener('visibilitychange', tick)
    timer = undefined
  }
}

/** The time, to half a minute, for whatever says how long ago something was: a page may be open for days. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, current)
}

/** Nothing may have asked for a while. */
function current(): number {
  if (timer === undefined && Date.now() - now > everyMs) now = Date.now()
  return now
}
