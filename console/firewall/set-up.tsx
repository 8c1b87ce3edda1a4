import { useState } from 'react'
import { linesFor, type PackageClient } from '../../src/domain/package-clients.ts'
import { useAsk } from '../api/ask.ts'
import { call } from '../api/call.ts'
import { asProblem, type Problem } from '../api/problem.ts'
import { useSessionState } from '../api/session.ts'
import { useDeployment, useMay } from '../app/deployment.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/page.tsx'
import { ErrorBox } from '../ui/states.tsx'
import { CopyLine } from '../ui/text/copy-line.tsx'
import { clientLabels } from './client-labels.ts'

/** Pick a client, get its lines and a token, and see the first request come in. */
export function SetUp() {
  const deployment = useDeployment()
  const { session } = useSessionState()
  const { why } = useMay('tokens:write')
  const [client, setClient] = useState<PackageClient>('npm')
  // Shown once: it lives here and goes with the page.
  const [secret, setSecret] = useState('')
  const [problem, setProblem] = useState<Problem>()
  const [isBusy, setBusy] = useState(false)
  const [since, setSince] = useState<string>()
  const { file, text, more } = linesFor(client, session?.server.publicUrl || location.origin, deployment.id)
  const make = async () => {
    setBusy(true)
    setProblem(undefined)
    try {
      const made = await call('createToken', {
        params: { deploymentId: deployment.id },
        body: { name: `${client} client`, webApi: true, scopes: ['packages:read'] },
      })
      setSecret(made.secret)
      setSince(new Date().toISOString())
    } catch (error) {
      setProblem(asProblem(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <fieldset className="segments">
        <legend className="visually-hidden">Client</legend>
        {(Object.keys(clientLabels) as PackageClient[]).map((name) => (
          <button key={name} type="button" aria-pressed={name === client} onClick={() => setClient(name)}>
            {clientLabels[name].label}
          </button>
        ))}
      </fieldset>
      <Card title="1. A token for it" aside="may fetch packages and nothing else">
        {secret ? (
          <>
            <p className="banner">This is shown once. It is gone when you leave the page.</p>
            <CopyLine label="the token" text={`export GATEHOUSE_TOKEN=${secret}`} />
          </>
        ) : (
          <div>
            <Button look="primary" why={why ?? (isBusy ? 'Being made' : undefined)} onClick={() => void make()}>
              Make a token
            </Button>
          </div>
        )}
        {problem && <ErrorBox problem={problem} />}
      </Card>
      <Card title={`2. The lines, into ${file}`}>
        <CopyLine label="the lines" text={text} />
        {more && (
          <>
            <p>And into {more.file}:</p>
            <CopyLine label="the lines for the second file" text={more.text} />
          </>
        )}
      </Card>
      <Card title="3. Fetch something">
        <CopyLine label="the command that fetches" text={clientLabels[client].attempt} />
        {since ? (
          <FirstRequest since={since} ecosystem={clientLabels[client].ecosystem} />
        ) : (
          <p className="muted small">Make a token first; then the first request shows up here.</p>
        )}
      </Card>
    </>
  )
}

function FirstRequest({ since, ecosystem }: { since: string; ecosystem: string }) {
  const asked = useAsk(
    'getActivityByEcosystem',
    { body: { filters: { timePeriod: { since } } } },
    { refetchInterval: 3_000 },
  )
  const row = asked.data?.rows.find((each) => each.ecosystem === ecosystem)
  const count = row ? row.blockingScans + row.nonBlockingScans : 0
  return (
    <p className={count > 0 ? 'banner ok' : 'banner'} role="status">
      {count > 0
        ? `It works: ${count} ${count === 1 ? 'artifact' : 'artifacts'} asked for, ${row!.blockingScans} refused.`
        : 'Waiting for the first request…'}
    </p>
  )
}
