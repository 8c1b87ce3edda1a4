import { useState } from 'react'
import type { Permission } from '../../src/kernel/access/permission.ts'
import { call } from '../api/call.ts'
import { asProblem, type Problem } from '../api/problem.ts'
import type { Deployment } from '../api/session.ts'
import { Button } from '../ui/button.tsx'
import { Check, Select } from '../ui/forms/field.tsx'
import { Card } from '../ui/page.tsx'
import { ErrorBox } from '../ui/states.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { Exact } from '../ui/text/marks.tsx'
import type { DeviceSignIn } from './page.tsx'
import { scopeLabel } from './scope-words.ts'

type Props = {
  userCode: string
  signIn: DeviceSignIn
  deployment: Deployment
  onDone: (decision: 'approved' | 'denied') => void
  onBack: () => void
}

/** What asks, from where, and for what: nothing is chosen for a person who has not read it. */
export function Decision({ userCode, signIn, deployment, onDone, onBack }: Props) {
  const [scopes, setScopes] = useState<ReadonlySet<Permission>>(
    () => new Set(signIn.scopes.filter((scope) => !signIn.missing.includes(scope))),
  )
  const [days, setDays] = useState(signIn.days)
  const [isMine, setIsMine] = useState(false)
  const [problem, setProblem] = useState<Problem>()
  const [busy, setBusy] = useState(false)
  const params = { deploymentId: deployment.id }
  const decide = async (decision: 'approved' | 'denied') => {
    setBusy(true)
    setProblem(undefined)
    try {
      if (decision === 'denied') await call('denyDeviceSignIn', { params, body: { userCode } })
      else {
        const body = { userCode, scopes: [...scopes], expiresInDays: days, otherNetwork: !signIn.sameNetwork }
        await call('approveDeviceSignIn', { params, body })
      }
      onDone(decision)
    } catch (error) {
      setProblem(asProblem(error))
    } finally {
      setBusy(false)
    }
  }
  const toggle = (scope: Permission) => {
    const next = new Set(scopes)
    if (!next.delete(scope)) next.add(scope)
    setScopes(next)
  }
  const why = busy
    ? 'Being sent'
    : scopes.size === 0
      ? 'Choose what it may do.'
      : isMine
        ? undefined
        : 'Confirm first that you started it.'
  return (
    <>
      <Card title="What asks">
        <dl className="facts">
          <dt>It calls itself</dt>
          <dd>
            <Foreign text={signIn.client} />
          </dd>
          <dt>On the machine</dt>
          <dd>{signIn.hostName ? <Foreign text={signIn.hostName} /> : 'It does not say.'}</dd>
          <dt>From the address</dt>
          <dd className="mono">{signIn.address}</dd>
          <dt>It asked at</dt>
          <dd>
            <Exact at={signIn.askedAt} />
          </dd>
        </dl>
        <p className="muted small">The name and the machine are what the program says; the address is what we saw.</p>
        {!signIn.sameNetwork && (
          <p className="banner" role="alert">
            It asks from another network than yours. If you did not start it on a machine elsewhere, deny it.
          </p>
        )}
      </Card>
      <Card title="What it gets" aside="a token of yours, which you can revoke">
        <fieldset className="stack">
          <legend className="legend">It may</legend>
          {signIn.scopes.map((scope) => {
            const missing = signIn.missing.includes(scope)
            return (
              <Check
                key={scope}
                label={scopeLabel(scope, missing)}
                checked={scopes.has(scope)}
                disabled={missing || signIn.kind === 'link'}
                onChange={() => toggle(scope)}
              />
            )
          })}
        </fieldset>
        <Select
          label="For"
          value={String(days)}
          choices={lifetimes(signIn.days)}
          onChange={(event) => setDays(Number(event.target.value))}
        />
        <Check
          label={
            signIn.sameNetwork
              ? 'I started this program just now.'
              : `I started this program just now, on a machine at ${signIn.address}.`
          }
          checked={isMine}
          onChange={() => setIsMine(!isMine)}
        />
        {problem && <ErrorBox problem={problem} />}
        <div className="row">
          <Button look="primary" why={why} onClick={() => void decide('approved')}>
            Approve
          </Button>
          <Button look="danger" why={busy ? 'Being sent' : undefined} onClick={() => void decide('denied')}>
            Deny
          </Button>
          <Button look="plain" onClick={onBack}>
            Back
          </Button>
        </div>
      </Card>
    </>
  )
}

function lifetimes(asked: number): { value: string; label: string }[] {
  const all = [...new Set([1, 7, 30, 90, asked])].sort((a, b) => a - b)
  return all.map((days) => ({ value: String(days), label: days === 1 ? '1 day' : `${days} days` }))
}
