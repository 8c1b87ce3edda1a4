import { type FormEvent, useState } from 'react'
import { call } from '../api/call.ts'
import type { Answer } from '../api/contracts.ts'
import { asProblem, type Problem } from '../api/problem.ts'
import { useSessionState } from '../api/session.ts'
import { firstOf } from '../app/address/address.ts'
import { usePlace } from '../app/address/location.ts'
import { Button } from '../ui/button.tsx'
import { Input } from '../ui/forms/field.tsx'
import { Card, Page, PageHead } from '../ui/page.tsx'
import { Empty, ErrorBox, useCountdown } from '../ui/states.tsx'
import { Decision } from './decision.tsx'

export type DeviceSignIn = Answer<'findDeviceSignIn'>['signIn']
type Found = { userCode: string; signIn: DeviceSignIn }

/** Only codes of links, which are longer than those that people type: no link saves anybody from typing one of these. */
const linkCode = /^[A-Z]{24}$/

/** Where a person says whether a program gets a token of theirs. */
export default function DevicePage() {
  const { deployments } = useSessionState().session!
  const { pairs } = usePlace()
  const deployment = deployments.find(({ id }) => String(id) === firstOf(pairs, 'deployment'))
  const link = firstOf(pairs, 'link') ?? ''
  const [found, setFound] = useState<Found>()
  const [done, setDone] = useState<'approved' | 'denied'>()
  return (
    <Page narrow>
      <PageHead
        title="Sign a program in"
        about={deployment && `It gets a token of yours in the deployment ${deployment.name}.`}
      />
      {!deployment ? (
        <Empty title="There is no such deployment, or you are not in it">
          <p>Open the address that the program shows, whole.</p>
        </Empty>
      ) : done ? (
        <Card title={done === 'approved' ? 'Signed in' : 'Not signed in'}>
          <p role="status">
            {done === 'approved'
              ? 'Go back to the program: it has its token in a few seconds. It is among your tokens, where you can revoke it.'
              : 'The program is told that you said no. If you did not start it, somebody else wanted your access.'}
          </p>
        </Card>
      ) : found ? (
        <Decision {...found} deployment={deployment} onDone={setDone} onBack={() => setFound(undefined)} />
      ) : (
        <CodeForm deploymentId={deployment.id} link={linkCode.test(link) ? link : ''} onFound={setFound} />
      )}
    </Page>
  )
}

function CodeForm(props: { deploymentId: number; link: string; onFound: (found: Found) => void }) {
  const { deploymentId, link, onFound } = props
  const [problem, setProblem] = useState<Problem>()
  const [busy, setBusy] = useState(false)
  const wait = useCountdown(problem?.retryAfter ?? 0, problem)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const userCode = link || String(new FormData(event.currentTarget).get('code'))
    setBusy(true)
    setProblem(undefined)
    try {
      const { signIn } = await call('findDeviceSignIn', { params: { deploymentId }, body: { userCode } })
      onFound({ userCode, signIn })
    } catch (error) {
      setProblem(asProblem(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Card title={link ? 'A program asks for packages' : 'The code that the program shows'}>
      <form className="form" onSubmit={(event) => void submit(event)}>
        {link ? (
          <p>Go on only if you have just started a sign-in in a terminal of yours, and it opened this page.</p>
        ) : (
          <Input
            label="Code"
            name="code"
            className="mono"
            required
            maxLength={20}
            autoComplete="off"
            spellCheck={false}
            placeholder="XXXX-XXXX"
            hint="Type it from your own terminal. Never type a code that somebody sent you."
            autoFocus
          />
        )}
        {problem && <ErrorBox problem={problem} />}
        <div className="row">
          <Button
            type="submit"
            look="primary"
            why={busy ? 'Being looked up' : wait > 0 ? `Wait ${wait} s.` : undefined}
          >
            Show what asks
          </Button>
        </div>
      </form>
    </Card>
  )
}
