import { QueryClientProvider } from '@tanstack/react-query'
import { lazy, Suspense, useEffect } from 'react'
import { queryClient } from '../api/ask.ts'
import { giveUpSession, useSessionState } from '../api/session.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { Empty, Waiting } from '../ui/states.tsx'
import { firstOf, matchPath } from './address/address.ts'
import { go, usePlace } from './address/location.ts'
import { onward } from './address/onward.ts'
import { Frame } from './frame/frame.tsx'
import { PersonalPage } from './frame/personal-page.tsx'
import { leave } from './frame/top-bar.tsx'
import { personalRoutes } from './routes.ts'
import { ConfirmPassword } from './sign-in/confirm-password.tsx'
import { ProviderAgain } from './sign-in/provider-again.tsx'
import { ProviderCallback } from './sign-in/provider-callback.tsx'
import { SignInPage } from './sign-in/sign-in.tsx'
import { SignInForm } from './sign-in/sign-in-form.tsx'

// Few people ever see it.
const SetUpFactor = lazy(() => import('./sign-in/set-up-factor.tsx'))

export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <Inside />
    </QueryClientProvider>
  )
}

function Inside() {
  const { session, ended } = useSessionState()
  const { path, pairs } = usePlace()
  const signInPath = path === '/sign-in'
  const callback = matchPath('/sign-in/callback/:id', path)?.id
  const target = firstOf(pairs, 'next')
  const at = matchPath('/d/:slug/*rest', path) ?? matchPath('/d/:slug', path)
  const deployment = session?.deployments.find((each) => each.slug === at?.slug)
  useEffect(() => {
    if (callback !== undefined) return
    if (!session && !signInPath) go(`/sign-in?next=${encodeURIComponent(path + location.search)}`, { replace: true })
    if (session && (signInPath || path === '/')) go(onward(target) ?? homeOf(session.deployments), { replace: true })
    if (deployment) localStorage.setItem('gatehouse-deployment', deployment.slug)
  }, [session, signInPath, callback, path, target, deployment])
  if (callback !== undefined) return <ProviderCallback id={callback} />
  if (!session) return signInPath ? <SignInPage onDone={() => undefined} next={onward(target)} /> : null
  if (session.mustSetUpFactor) {
    return (
      <Suspense fallback={<Waiting />}>
        <SetUpFactor />
      </Suspense>
    )
  }
  const personal = personalRoutes.find((route) => route.path === path)
  return (
    <>
      {personal ? (
        <PersonalPage route={personal} deployment={lastOf(session.deployments)} />
      ) : deployment ? (
        <Frame deployment={deployment} path={at?.rest ?? ''} />
      ) : (
        !signInPath && path !== '/' && <NoDeployment />
      )}
      <ConfirmPassword />
      {ended && (
        // What was being done is behind it: only who says so leaves it.
        <Dialog title="Your session has ended" onClose={() => undefined}>
          <p className="muted">
            {ended.code !== 'unauthenticated' && `${ended.message} `}Sign in, and what you were doing goes on.
          </p>
          {session.session?.provider ? (
            <ProviderAgain about="You come back to this page." />
          ) : (
            <SignInForm email={session.person.email} onDone={() => undefined} />
          )}
          <div className="actions">
            <Button look="plain" onClick={() => endHere()}>
              Leave
            </Button>
          </div>
        </Dialog>
      )}
    </>
  )
}

function endHere(): void {
  giveUpSession()
  queryClient.clear()
  go('/sign-in')
}

function lastOf<D extends { slug: string }>(deployments: readonly D[]): D | undefined {
  const last = localStorage.getItem('gatehouse-deployment')
  return deployments.find((each) => each.slug === last) ?? deployments[0]
}

function homeOf(deployments: readonly { slug: string }[]): string {
  const slug = lastOf(deployments)?.slug
  return slug ? `/d/${slug}` : '/me'
}

function NoDeployment() {
  const { session } = useSessionState()
  return (
    <main className="sign-in">
      <div className="box">
        <h1 tabIndex={-1}>Not visible to you</h1>
        <Empty title="There is no such deployment, or you are not in it">
          <p>You are signed in as {session?.person.email}. An owner or admin of the deployment can invite you.</p>
        </Empty>
        {session?.deployments.map((each) => (
          <Button key={each.id} onClick={() => go(`/d/${each.slug}`)}>
            Go to {each.name}
          </Button>
        ))}
        <Button look="plain" onClick={() => void leave()}>
          Sign out
        </Button>
      </div>
    </main>
  )
}
