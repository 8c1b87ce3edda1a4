import { lazy, Suspense, useState } from 'react'
import type { Deployment } from '../../api/session.ts'
import { Toasts } from '../../ui/overlays/toasts.tsx'
import { Waiting } from '../../ui/states.tsx'
import type { Route } from '../routes.ts'
import { Frame } from './frame.tsx'

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
