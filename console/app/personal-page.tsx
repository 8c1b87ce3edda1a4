import { lazy, Suspense, useState } from 'react'
import type { Deployment } from '../api/session.ts'
import { Waiting } from '../ui/states.tsx'
import { Toasts } from '../ui/toasts.tsx'
import { Frame } from './frame.tsx'
import type { Route } from './routes.ts'

/** Inside the frame of the last deployment, and without a frame for whoever is in none. */
export function PersonalPage({ route, deployment }: { route: Route; deployment: Deployment | undefined }) {
  return deployment ? <Frame deployment={deployment} path="" page={route} /> : <Alone key={route.path} route={route} />
}

function Alone({ route }: { route: Route }) {
  const [Component] = useState(() => lazy(route.load))
  return (
    <main className="main">
      <Suspense fallback={<Waiting />}>
        <Component params={{}} />
      </Suspense>
      <Toasts />
    </main>
  )
}
