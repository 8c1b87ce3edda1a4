import { loadSession, useSessionState } from '../../api/session.ts'
import { FactorsCard } from '../../me/factors.tsx'
import { Button } from '../../ui/button.tsx'
import { Toasts } from '../../ui/overlays/toasts.tsx'
import { Page, PageHead } from '../../ui/page.tsx'
import { leave } from '../frame/top-bar.tsx'
import { ConfirmPassword } from './confirm-password.tsx'

/** For whoever lacks the second factor that is required of them: until they have one there is nothing else. */
export default function SetUpFactor() {
  const { session } = useSessionState()
  return (
    <main className="main">
      <Page narrow>
        <PageHead
          title="Set up a second factor"
          about={`It is required of you, ${session?.person.name ?? ''}. When it is set up, you can go on.`}
        >
          <Button onClick={() => void leave()}>Sign out</Button>
        </PageHead>
        <FactorsCard onSetUp={() => void loadSession()} />
      </Page>
      <ConfirmPassword />
      <Toasts />
    </main>
  )
}
