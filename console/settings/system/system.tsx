import { useState } from 'react'
import { useAsk, useChange } from '../../api/ask.ts'
import { useSessionState } from '../../api/session.ts'
import { useDeployment, useMay } from '../../app/deployment.ts'
import { Button } from '../../ui/button.tsx'
import { Input, Select } from '../../ui/forms/field.tsx'
import { FormDialog } from '../../ui/forms/form-dialog.tsx'
import { say, sayFailure } from '../../ui/overlays/toasts.tsx'
import { Card } from '../../ui/page.tsx'
import { Part } from '../../ui/states.tsx'
import { Tag } from '../../ui/text/marks.tsx'
import { lasting } from '../../ui/text/time.ts'
import { plural } from '../../ui/text/words.ts'
import { SettingsPage } from '../frame.tsx'
import { DeadLetters } from './dead-letters.tsx'
import { FeedTable } from './feeds.tsx'
import { SystemStatusCards } from './system-status.tsx'

export default function SystemPage() {
  const { operator } = useSessionState().session!
  const jobs = useMay('jobs:read')
  const feeds = useMay('dependencies:read')
  const firewall = useMay('firewall:read')
  return (
    <SettingsPage
      title="System"
      about="Whether everything is healthy: the server, its feeds, and what could not be delivered."
    >
      <div className="cards">
        <ServerCard />
        <DeploymentCard />
      </div>
      {operator && <SystemStatusCards />}
      {feeds.may && <VulnerabilityFeedsCard />}
      {firewall.may && <MalwareFeedsCard />}
      {jobs.may && <DeadLetters />}
    </SettingsPage>
  )
}

function ServerCard() {
  const server = useSessionState().session!.server
  const ready = useAsk('getReadiness', {}, { refetchInterval: 15_000, keep: false })
  return (
    <Card
      title="Server"
      aside={
        <Tag tone={ready.data ? 'ok' : ready.error ? 'bad' : undefined}>
          {ready.data ? 'ready' : ready.error ? 'not ready' : 'asking'}
        </Tag>
      }
    >
      {ready.error && <p className="banner bad">{ready.error.message}</p>}
      <dl className="facts">
        <dt>Version</dt>
        <dd>{server.version}</dd>
        <dt>Address</dt>
        <dd className="mono">{server.publicUrl}</dd>
        <dt>Encrypted</dt>
        <dd>{server.https ? 'yes' : 'no: set GATEHOUSE_URL to an https address'}</dd>
        <dt>Documentation</dt>
        <dd>
          <a href="/docs">API reference</a>
        </dd>
      </dl>
    </Card>
  )
}

function DeploymentCard() {
  const deployment = useDeployment()
  const write = useMay('deployment:write')
  const [renaming, setRenaming] = useState(false)
  const rename = useChange('renameDeployment', ['getDeployment'])
  return (
    <Card
      title="Deployment"
      aside={
        <Button why={write.why} onClick={() => setRenaming(true)}>
          Rename
        </Button>
      }
    >
      <dl className="facts">
        <dt>Name</dt>
        <dd>{deployment.name}</dd>
        <dt>Slug</dt>
        <dd className="mono">{deployment.slug}</dd>
        <dt>Id</dt>
        <dd className="mono">{deployment.id}</dd>
        <dt>Your role</dt>
        <dd>{deployment.role}</dd>
      </dl>
      <NewPeople />
      <SecondFactorFor />
      {renaming && (
        <FormDialog
          title="Rename the deployment"
          action="Rename"
          onClose={() => setRenaming(false)}
          run={async (form) => {
            await rename.mutateAsync({ body: { name: form.text('name') } })
            say('Renamed.', 'no undo')
            // The name stands in the session, which is read at the start.
            setTimeout(() => location.reload(), 400)
          }}
        >
          {(about) => (
            <Input
              label="Name"
              name="name"
              required
              maxLength={200}
              defaultValue={deployment.name}
              hint="The slug stays, so that links go on working."
              wrong={about('/name')}
              autoFocus
            />
          )}
        </FormDialog>
      )}
    </Card>
  )
}

function NewPeople() {
  const asked = useAsk('getDeployment')
  const write = useMay('deployment:write')
  const change = useChange('renameDeployment', ['getDeployment'])
  const sees = asked.data?.deployment.newPeopleSee ?? 'all'
  return (
    <Select
      label="People who join from now on"
      name="newPeopleSee"
      value={sees}
      disabled={!write.may}
      title={write.why}
      hint="Nobody who is here already sees more or less by this. Owners and admins see everything."
      choices={[
        { value: 'all', label: 'see all repositories' },
        { value: 'teams', label: 'see only those of teams they are put into' },
      ]}
      onChange={(event) =>
        change.mutate(
          { body: { newPeopleSee: event.target.value as 'all' | 'teams' } },
          {
            onSuccess: () => say('Saved.', 'no undo'),
            onError: (problem) => sayFailure(`Not saved: ${problem.message}`),
          },
        )
      }
    />
  )
}

const requirements = [
  { value: 'optional', label: 'nobody has to have one' },
  { value: 'admins', label: 'owners and admins need one' },
  { value: 'everyone', label: 'everyone needs one' },
]

function SecondFactorFor() {
  const asked = useAsk('getDeployment')
  const write = useMay('deployment:write')
  const { secondFactor: everywhere } = useSessionState().session!.server
  const change = useChange('renameDeployment', ['getDeployment'])
  const said = requirements.find(({ value }) => value === everywhere)!.label
  return (
    <Select
      label="Second factor"
      name="secondFactor"
      value={asked.data?.deployment.secondFactor ?? 'optional'}
      disabled={!write.may}
      title={write.why}
      hint={
        <>
          Whoever needs one and has none sets it up when they next do anything; API tokens go on working.
          {everywhere !== 'optional' && ` In every deployment of this server ${said}.`}
        </>
      }
      choices={requirements}
      onChange={(event) =>
        change.mutate(
          { body: { secondFactor: event.target.value as 'optional' | 'admins' | 'everyone' } },
          {
            onSuccess: () => say('Saved.', 'no undo'),
            onError: (problem) => sayFailure(`Not saved: ${problem.message}`),
          },
        )
      }
    />
  )
}

function VulnerabilityFeedsCard() {
  const asked = useAsk('getVulnerabilityFeeds')
  return (
    <Card title="Advisories about vulnerabilities">
      <Part of={asked}>
        {({ feeds, exploitedFeeds, epssFeeds, advice }) => (
          <>
            <FeedTable label="Feeds of vulnerabilities" feeds={feeds} advice={advice} />
            <h3>Known to be exploited</h3>
            <FeedTable label="Lists of known exploited vulnerabilities" feeds={exploitedFeeds} advice="" />
            <h3>EPSS scores</h3>
            <FeedTable label="Lists of EPSS scores" feeds={epssFeeds} advice="" />
          </>
        )}
      </Part>
    </Card>
  )
}

function MalwareFeedsCard() {
  const asked = useAsk('getFirewallState')
  const age = asked.data?.dataAgeSeconds
  return (
    <Card
      title="Advisories about malicious packages"
      aside={
        asked.data && (
          <>
            {plural(asked.data.packages, 'package')}
            {typeof age === 'number' && ` · ${lasting(age)} old`}
          </>
        )
      }
    >
      <Part of={asked}>
        {({ feeds, advice }) => <FeedTable label="Feeds of malicious packages" feeds={feeds} advice={advice} />}
      </Part>
    </Card>
  )
}
