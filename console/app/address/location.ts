import { useEffect, useSyncExternalStore } from 'react'
import { formatSearch, type Pair, parseSearch } from './address.ts'

/** The address bar as React sees it. Everything that can be linked to is in it, and nowhere else. */
export type Place = { path: string; pairs: Pair[]; key: string }

const listeners = new Set<() => void>()
let place = readPlace()

function readPlace(): Place {
  const key = (history.state as { key?: string } | null)?.key ?? 'first'
  return { path: location.pathname, pairs: parseSearch(location.search), key }
}

function changed(): void {
  place = readPlace()
  for (const listener of listeners) listener()
}

/** Back and forward have moved already: whoever stays is put back to where they were. */
function moved(): void {
  if (location.pathname !== place.path && mayLeave && !mayLeave()) {
    history.pushState({ key: place.key }, '', place.path + formatSearch(place.pairs))
    return
  }
  changed()
}

window.addEventListener('popstate', moved)

function subscribePlace(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function currentPlace(): Place {
  return place
}

export function usePlace(): Place {
  return useSyncExternalStore(subscribePlace, currentPlace)
}

let mayLeave: (() => boolean) | undefined

/** Where something is not saved, this asks before the page is left, reloaded or closed; without a question it does not. */
export function askBeforeLeaving(question: string | undefined): void {
  mayLeave = question === undefined ? undefined : () => window.confirm(question)
  if (mayLeave) window.addEventListener('beforeunload', askToStay)
  else window.removeEventListener('beforeunload', askToStay)
}

/** The same for as long as a part of the page holds what is not saved. */
export function useAskBeforeLeaving(question: string | undefined): void {
  useEffect(() => {
    if (question === undefined) return
    askBeforeLeaving(question)
    return () => askBeforeLeaving(undefined)
  }, [question])
}

/** The browser asks in its own words. */
function askToStay(event: BeforeUnloadEvent): void {
  event.preventDefault()
}

export function go(to: string, options: { replace?: boolean } = {}): void {
  const target = new URL(to, location.href)
  if (target.origin !== location.origin) return
  if (target.pathname !== location.pathname && mayLeave && !mayLeave()) return
  const address = target.pathname + target.search
  // A link to where one is adds nothing to go back through, as in any browser.
  const isReplaced = options.replace || address === location.pathname + location.search
  const key = isReplaced ? place.key : crypto.randomUUID().slice(0, 8)
  if (isReplaced) history.replaceState({ key }, '', address)
  else history.pushState({ key }, '', address)
  changed()
}

/** Other search parameters on the same path. */
export function goSearch(pairs: readonly Pair[], options: { replace?: boolean } = {}): void {
  go(location.pathname + formatSearch(pairs), options)
}
