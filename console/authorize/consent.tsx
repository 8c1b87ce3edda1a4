import { useState } from 'react'
import { call } from '../api/call.ts'
import { asProblem, type Problem } from '../api/problem.ts'
import type { Deployment } from '../api/session.ts'
import { Button } from '../ui/button.tsx'
import { Check, Select } from '../ui/forms/field.tsx'
import { Card } from '../ui/page.tsx'
import { ErrorBox } from '../ui/states.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import type { Asking, AuthorizationRequest } from './page.tsx'

type Scope = Asking['scopes'][number]
type Props = { asking: Asking; request: AuthorizationRequest; deployments: readonly Deployment[] }

const scopeWords: Record<Scope, string> = {
  'findings:read': 'Read findings',
  'dependencies:read': 'Read dependencies and vulnerabilities',
  'firewall:read': 'Read what the firewall allows and refuses',
  'findings:triage': 'Decide about findings, once you confirm each decision',
  'firewall:ask': 'Ask for exceptions of the firewall, once you confirm each one',
}

const lifetimes = [1, 7, 30, 90].map((days) => ({ value: String(days), label: days === 1 ? '1 day' : `${days} days` }))

/** Who asks, where its code goes, and for what. What changes something is not chosen for anybody. */
export function Consent({ asking, request, deployments }: Props) {
  const [deploymentId, setDeploymentId] = useState(deployments[0]!.id)
  const [chosen, setChosen] = useState<ReadonlySet<Scope>>(
    () => new Set(asking.scopes.filter((scope) => scope.endsWith(':read'))),
  )
  const [days, setDays] = useState('30')
  const [isMine, setIsMine] = useState(false)
  const [problem, setProblem] = useState<Problem>()
  const [busy, setBusy] = useState(false)
  const deployment = deployments.find(({ id }) => id === deploymentId)!
  const mayGive = (scope: Scope) => deployment.permissions.includes(scope)
  const scopes = asking.scopes.filter((scope) => chosen.has(scope) && mayGive(scope))
  const toggle = (scope: Scope) => {
    const next = new Set(chosen)
    if (!next.delete(scope)) next.add(scope)
    setChosen(next)
  }
  const connect = async () => {
    setBusy(true)
    setProblem(undefined)
    try {
      const body = { request, scopes, expiresInDays: Number(days) }
      const { redirectTo } = await call('connectProgram', { params: { deploymentId }, body })
      location.assign(redirectTo)
    } catch (error) {
      setProblem(asProblem(error))
      setBusy(false)
    }
  }
  const why = busy
    ? 'Being sent'
    : scopes.length === 0
      ? 'Choose what it may do.'
      : isMine
        ? undefined
        : 'Confirm first that you are connecting it.'
  return (
    <>
      <Card title="What asks">
        <dl className="facts">
          <dt>It calls itself</dt>
          <dd>
            <Foreign text={asking.name} />
          </dd>
          <dt>Its access goes to</dt>
          <dd>{placeOf(asking)}</dd>
        </dl>
        <p className="muted small">The name is what the program says; nobody has checked it.</p>
        {asking.goesTo === 'site' && (
          <p className="banner" role="alert">
            Its access goes to {asking.host}, and not to this computer. If you do not know that site, do not connect it.
          </p>
        )}
      </Card>
      <Card title="What it gets" aside="in your name, until you end it on your profile">
        <Select
          label="Deployment"
          value={String(deploymentId)}
          choices={deployments.map(({ id, name }) => ({ value: String(id), label: name }))}
          onChange={(event) => setDeploymentId(Number(event.target.value))}
        />
        <fieldset className="stack">
          <legend className="legend">It may</legend>
          {asking.scopes.map((scope) => (
            <Check
              key={scope}
              label={mayGive(scope) ? scopeWords[scope] : `${scopeWords[scope]} (you may not do this yourself)`}
              checked={chosen.has(scope) && mayGive(scope)}
              disabled={!mayGive(scope)}
              onChange={() => toggle(scope)}
            />
          ))}
        </fieldset>
        <Select label="For" value={days} choices={lifetimes} onChange={(event) => setDays(event.target.value)} />
        <Check
          label={
            asking.goesTo === 'site'
              ? `I am connecting this program just now, and I know ${asking.host}.`
              : 'I am connecting this program just now.'
          }
          checked={isMine}
          onChange={() => setIsMine(!isMine)}
        />
        {problem && <ErrorBox problem={problem} />}
        <div className="row">
          <Button look="primary" why={why} onClick={() => void connect()}>
            Connect
          </Button>
          <Button look="danger" why={busy ? 'Being sent' : undefined} onClick={() => location.assign(asking.backTo)}>
            Do not connect
          </Button>
        </div>
      </Card>
    </>
  )
}

function placeOf({ goesTo, host }: Asking): string {
  if (goesTo === 'computer') return `a program on this computer (${host})`
  return goesTo === 'app' ? `the app that opens ${host}: links` : host
}
