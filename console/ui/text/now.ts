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
  timer ??= setInterval(tick, everyMs)
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
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
