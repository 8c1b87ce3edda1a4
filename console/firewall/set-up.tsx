import { useState } from 'react'
import { useAsk } from '../api/ask.ts'
import { call } from '../api/call.ts'
import { asProblem, type Problem } from '../api/problem.ts'
import { useSessionState } from '../api/session.ts'
import { useDeployment, useMay } from '../app/deployment.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/page.tsx'
import { ErrorBox } from '../ui/states.tsx'
import { CopyLine } from '../ui/text/copy-line.tsx'
import { type Client, clientLines } from './words.ts'

const clients: Record<Client, { label: string; ecosystem: string; attempt: string }> = {
  npm: { label: 'npm, yarn, pnpm', ecosystem: 'npm', attempt: 'npm view left-pad version' },
  pip: { label: 'pip, uv, Poetry', ecosystem: 'pypi', attempt: 'pip download --no-deps six' },
  maven: { label: 'Maven, Gradle', ecosystem: 'maven', attempt: 'mvn dependency:get -Dartifact=junit:junit:4.13.2' },
}

/** Pick a client, get its lines and a token, and see the first request come in. */
export function SetUp() {
  const deployment = useDeployment()
  const { session } = useSessionState()
  const { why } = useMay('tokens:write')
  const [client, setClient] = useState<Client>('npm')
  // Shown once: it lives here and goes with the page.
  const [secret, setSecret] = useState('')
  const [problem, setProblem] = useState<Problem>()
  const [since, setSince] = useState<string>()
  const { file, text } = clientLines(client, session?.server.publicUrl || location.origin, deployment.id)
  const make = async () => {
    try {
      const made = await call('createToken', {
        params: { deploymentId: deployment.id },
        body: { name: `${client} client`, scopes: ['packages:read'] },
      })
      setSecret(made.secret)
      setSince(new Date().toISOString())
    } catch (error) {
      setProblem(asProblem(error))
    }
  }
  return (
    <>
      <fieldset className="segments">
        <legend className="visually-hidden">Client</legend>
        {(Object.keys(clients) as Client[]).map((name) => (
          <button key={name} type="button" aria-pressed={name === client} onClick={() => setClient(name)}>
            {clients[name].label}
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
            <Button look="primary" why={why} onClick={() => void make()}>
              Make a token
            </Button>
          </div>
        )}
        {problem && <ErrorBox problem={problem} />}
      </Card>
      <Card title={`2. The lines, into ${file}`}>
        <CopyLine label="the lines" text={text} />
      </Card>
      <Card title="3. Fetch something">
        <CopyLine label="the command that fetches" text={clients[client].attempt} />
        {since ? (
          <FirstRequest since={since} ecosystem={clients[client].ecosystem} />
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
