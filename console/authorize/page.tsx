import { useEffect, useState } from 'react'
import { call } from '../api/call.ts'
import type { Answer } from '../api/contracts.ts'
import { asProblem, type Problem } from '../api/problem.ts'
import { useSessionState } from '../api/session.ts'
import { type Pair, valuesOf } from '../app/address/address.ts'
import { usePlace } from '../app/address/location.ts'
import { Button } from '../ui/button.tsx'
import { Card, Page, PageHead } from '../ui/page.tsx'
import { Empty, ErrorBox, Waiting } from '../ui/states.tsx'
import { Consent } from './consent.tsx'

export type Asking = Answer<'showProgramRequest'>
export type AuthorizationRequest = ReturnType<typeof requestIn>

/** Where a program sends a person who is to let it act for them (RFC 6749 §4.1.1). */
export default function AuthorizePage() {
  const { deployments } = useSessionState().session!
  const { pairs } = usePlace()
  const [asking, setAsking] = useState<Asking>()
  const [problem, setProblem] = useState<Problem>()
  const request = requestIn(pairs)
  const key = JSON.stringify(request)
  useEffect(() => {
    call('showProgramRequest', { body: { request: JSON.parse(key) } }).then(setAsking, (error) =>
      setProblem(asProblem(error)),
    )
  }, [key])
  return (
    <Page narrow>
      <PageHead title="Connect a program" about="It asks to work with Gatehouse in your name." />
      {problem ? (
        <ErrorBox problem={problem} />
      ) : !asking ? (
        <Waiting />
      ) : asking.problem !== null ? (
        <Card title="It cannot be connected">
          <p role="alert">{asking.problem}</p>
          <div className="row">
            <Button onClick={() => location.assign(asking.backTo)}>Tell the program</Button>
          </div>
        </Card>
      ) : deployments.length === 0 ? (
        <Empty title="You are in no deployment">
          <p>An owner or admin can invite you.</p>
        </Empty>
      ) : (
        <Consent asking={asking} request={request} deployments={deployments} />
      )}
    </Page>
  )
}

/** RFC 6749 §3.1: a parameter that is there twice counts as none. */
function requestIn(pairs: readonly Pair[]) {
  const one = (name: string) => {
    const values = valuesOf(pairs, name)
    return values.length === 1 ? values[0]! : ''
  }
  return {
    clientId: one('client_id'),
    redirectUri: one('redirect_uri'),
    responseType: one('response_type'),
    codeChallenge: one('code_challenge'),
    codeChallengeMethod: one('code_challenge_method'),
    scope: one('scope'),
    resource: one('resource'),
    state: one('state'),
  }
}
