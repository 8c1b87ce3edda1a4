import { type Query, useIsFetching } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import type { Deployment } from '../../api/session.ts'
import { Toasts, undoLast } from '../../ui/overlays/toasts.tsx'
import { Waiting } from '../../ui/states.tsx'
import { PreferenceSync } from '../../views/preferences.ts'
import { go, usePlace } from '../address/location.ts'
import { DeploymentContext, usePathTo } from '../deployment.ts'
import { useKeys } from '../keyboard/keys.ts'
import { Palette } from '../keyboard/palette.tsx'
import { ShortcutHelp } from '../keyboard/shortcut-help.tsx'
import { Live } from '../live/live.tsx'
import { onPreload } from '../preload.ts'
import { addressOf, findRoute, groups, type PageComponent, type Route } from '../routes.ts'
import { NotFound } from './not-found.tsx'
import { PageGuard } from './page-guard.tsx'
import { Rail } from './rail.tsx'
import { TopBar } from './top-bar.tsx'

const pages = new Map<Route, React.LazyExoticComponent<PageComponent>>()

function pageOf(route: Route) {
  const known = pages.get(route)
  if (known) return known
  const page = lazy(route.load)
  pages.set(route, page)
  return page
}

onPreload((path) => {
  const match = /^\/d\/[^/]+\/?(.*)$/.exec(path)
  if (match) void findRoute(match[1]!)?.route.load()
})

/** Rail, top bar and the page. */
export function Frame({ deployment, path, page }: { deployment: Deployment; path: string; page?: Route | undefined }) {
  const [open, setOpen] = useState<'palette' | 'keys'>()
  const found = page ? { route: page, params: {} } : findRoute(path)
  const main = useRef<HTMLElement>(null)
  useHeadingFocus(main, found?.route)
  return (
    <DeploymentContext value={deployment}>
      <div className="frame">
        <a className="skip" href="#main">
          Skip to the content
        </a>
        <PreferenceSync />
        <Rail />
        <TopBar onSearch={() => setOpen('palette')} onKeys={() => setOpen('keys')} />
        <main id="main" ref={main} tabIndex={-1} className={found?.route.fixed ? 'main fixed' : 'main'}>
          {!found?.route.fixed && <StillLoading />}
          {found ? (
            <PageGuard key={`${deployment.id} ${found.route.path}`} needs={found.route.needs}>
              <Suspense
                fallback={
                  <div className="page">
                    <Waiting />
                  </div>
                }
              >
                <PageOf route={found.route} params={found.params} />
              </Suspense>
            </PageGuard>
          ) : (
            <NotFound />
          )}
        </main>
        <Live />
        <Toasts />
        <FrameKeys onOpen={setOpen} />
        {open === 'palette' && <Palette onClose={() => setOpen(undefined)} />}
        {open === 'keys' && <ShortcutHelp onClose={() => setOpen(undefined)} />}
      </div>
    </DeploymentContext>
  )
}

/** Lists say it themselves. Elsewhere numbers of what was asked for before are on screen until those of now are there. */
function StillLoading() {
  const isUnanswered = (query: Query) => query.isActive() && query.state.data === undefined
  return useIsFetching({ predicate: isUnanswered }) > 0 && <div className="busy-line" />
}

function PageOf({ route, params }: { route: Route; params: Record<string, string> }) {
  const Component = pageOf(route)
  return <Component params={params} />
}

function FrameKeys({ onOpen }: { onOpen: (what: 'palette' | 'keys') => void }) {
  const to = usePathTo()
  const pending = useRef(0)
  const places = groups.flatMap((group) => group.places)
  const follow = Object.fromEntries(
    places.map((place) => [
      place.key,
      () => {
        pending.current = 0
        go(to(addressOf(place)))
      },
    ]),
  )
  const [waiting, setWaiting] = useState(false)
  useKeys({
    'Ctrl+k': () => onOpen('palette'),
    '?': () => onOpen('keys'),
    z: () => undoLast(),
    '/': () => document.querySelector<HTMLInputElement>('input[type=search]')?.focus(),
    g: () => setWaiting(true),
  })
  useEffect(() => {
    if (!waiting) return
    const done = (event: KeyboardEvent) => {
      const run = follow[event.key]
      event.stopImmediatePropagation()
      if (run) {
        event.preventDefault()
        run()
      }
      setWaiting(false)
    }
    const timer = setTimeout(() => setWaiting(false), 1_500)
    window.addEventListener('keydown', done, { capture: true })
    return () => {
      clearTimeout(timer)
      window.removeEventListener('keydown', done, { capture: true })
    }
  })
  return null
}

/** After another page was opened, reading goes on at its heading. */
function useHeadingFocus(main: React.RefObject<HTMLElement | null>, route: Route | undefined): void {
  const { path, pairs } = usePlace()
  const first = useRef(true)
  const page = route?.fixed ? route.path : path
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the page that matters
  useEffect(() => {
    if (first.current) {
      first.current = false
      return
    }
    const target = main.current
    if (!target) return
    const focus = () => {
      const heading = target.querySelector<HTMLElement>('h1')
      heading?.focus({ preventScroll: true })
      return heading !== null
    }
    if (focus()) return
    const watch = new MutationObserver(() => focus() && watch.disconnect())
    watch.observe(target, { childList: true, subtree: true })
    return () => watch.disconnect()
  }, [page])
  // Within a page too, where what was pressed went away: a link in a panel that closes.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the address that matters
  useEffect(() => {
    if (document.activeElement !== document.body || first.current) return
    main.current?.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true })
  }, [path, pairs])
}
