import { useState } from 'react'
import type { Check as Checked, TicketingInstance } from '../../../src/capabilities/ticketing/contract.ts'
import { useAsk, useChange, useFresh, useTagged } from '../../api/ask.ts'
import { firstOf } from '../../app/address/address.ts'
import { askBeforeLeaving, go, usePlace } from '../../app/address/location.ts'
import { useMay, usePathTo } from '../../app/deployment.ts'
import { Button } from '../../ui/button.tsx'
import { Input } from '../../ui/forms/field.tsx'
import { FormDialog } from '../../ui/forms/form-dialog.tsx'
import { Link } from '../../ui/link.tsx'
import { Narrowed } from '../../ui/lists/narrowed.tsx'
import { Confirm } from '../../ui/overlays/confirm.tsx'
import { say } from '../../ui/overlays/toasts.tsx'
import { Card } from '../../ui/page.tsx'
import type { Current } from '../../ui/stale.tsx'
import { Empty, ErrorBox, Part } from '../../ui/states.tsx'
import { Foreign } from '../../ui/text/foreign.tsx'
import { Tag } from '../../ui/text/marks.tsx'
import { SettingsPage } from '../frame.tsx'
import { TicketingConfiguration } from './ticketing-configuration.tsx'

const touched = ['listTicketingInstances', 'getTicketingInstance', 'getTicketingChoices'] as const

export default function TicketingPage({ params }: { params: Record<string, string> }) {
  return params.id ? <One id={Number(params.id)} /> : <All />
}

function Health({ instance }: { instance: TicketingInstance }) {
  if (instance.isAuthRevoked) return <Tag tone="bad">refuses the credentials</Tag>
  return instance.isConfigured ? <Tag tone="ok">makes tickets</Tag> : <Tag tone="warn">not configured</Tag>
}

function All() {
  const to = usePathTo()
  const asked = useAsk('listTicketingInstances')
  const write = useMay('ticketing:write')
  const [connecting, setConnecting] = useState(false)
  const revoked = firstOf(usePlace().pairs, 'state') === 'revoked'
  return (
    <SettingsPage
      title="Ticketing"
      about="Trackers that findings become tickets in. Connect one, choose where its tickets go, then check it."
      actions={
        <Button look="primary" why={write.why} onClick={() => setConnecting(true)}>
          Connect a tracker
        </Button>
      }
    >
      {revoked && <Narrowed name="state">Only trackers that refuse our credentials.</Narrowed>}
      <Part of={asked}>
        {({ instances }) =>
          instances.length === 0 ? (
            <Empty title="No tracker is connected">
              <p>With one, a finding becomes a ticket with one key, and the ticket closes when the finding is fixed.</p>
            </Empty>
          ) : (
            instances
              .filter((each) => !revoked || each.isAuthRevoked)
              .map((instance) => (
                <Card key={instance.id} title={instance.subdomain} aside={<Health instance={instance} />}>
                  <p className="muted">
                    {instance.isConfigured ? (
                      <Destination instance={instance} />
                    ) : (
                      'Choose a project and an issue type, then tickets can be made.'
                    )}
                  </p>
                  <div className="row">
                    {write.may ? (
                      <Link className="button" to={to(`settings/ticketing/${instance.id}`)}>
                        {instance.isConfigured ? 'Configure' : 'Choose where tickets go'}
                      </Link>
                    ) : (
                      <Button why={write.why}>Configure</Button>
                    )}
                  </div>
                </Card>
              ))
          )
        }
      </Part>
      {connecting && <ConnectDialog onClose={() => setConnecting(false)} />}
    </SettingsPage>
  )
}

/** Where tickets go, by the names of the tracker; by their ids until it answers, and where it does not. */
function Destination({ instance }: { instance: TicketingInstance }) {
  const { id, projectId, issueTypeId, isAuthRevoked } = instance
  const { may } = useMay('ticketing:write')
  const { data } = useAsk(
    'getTicketingChoices',
    { params: { instanceId: id }, query: { projectId } },
    { keep: false, staleTime: 300_000, enabled: may && !isAuthRevoked },
  )
  const nameOf = (choices: readonly { id: string; name: string }[] | undefined, wanted: string) =>
    choices?.find((each) => each.id === wanted)?.name ?? wanted
  return (
    <>
      Tickets go to the project <Foreign text={nameOf(data?.projects, projectId)} /> as{' '}
      <Foreign text={nameOf(data?.issueTypes, issueTypeId)} />.
    </>
  )
}

export function CheckLine({ check }: { check: Checked }) {
  return (
    <div className={check.ok ? 'banner ok' : 'banner bad'} role="status">
      {check.ok ? (
        'Everything is in order: the tracker knows us and has what is configured.'
      ) : (
        <ul className="stack tight">
          {check.problems.map((each) => (
            <li key={each.pointer + each.detail}>
              {each.pointer && <code>{each.pointer}</code>} <Foreign text={each.detail} clamp={400} />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function ConnectDialog({ onClose }: { onClose: () => void }) {
  const to = usePathTo()
  const connect = useChange('connectTicketing', touched)
  return (
    <FormDialog
      title="Connect a tracker"
      action="Connect"
      onClose={onClose}
      run={async (form) => {
        const body = { url: form.text('url'), email: form.text('email'), apiToken: form.secret('apiToken') }
        const { instance, check } = await connect.mutateAsync({ body })
        connect.reset()
        say(check.ok ? 'Connected.' : `Connected, but: ${check.problems[0]?.detail ?? 'the check failed'}`, 'no undo')
        go(to(`settings/ticketing/${instance.id}`))
      }}
    >
      {(about) => <ConnectionFields about={about} tokenNeeded />}
    </FormDialog>
  )
}

type FieldsProps = {
  about: (pointer: string) => string | undefined
  url?: string
  email?: string
  tokenNeeded: boolean
}

function ConnectionFields({ about, url, email, tokenNeeded }: FieldsProps) {
  return (
    <>
      <Input
        label="Site"
        name="url"
        type="url"
        required
        defaultValue={url}
        placeholder="https://example.atlassian.net"
        wrong={about('/url')}
      />
      <Input
        label="E-mail of the account"
        name="email"
        type="email"
        required
        defaultValue={email}
        wrong={about('/email')}
      />
      <Input
        label={tokenNeeded ? 'API token' : 'API token (leave empty to keep it)'}
        name="apiToken"
        type="password"
        autoComplete="new-password"
        required={tokenNeeded}
        hint={tokenNeeded ? 'Stored encrypted. No answer shows it.' : 'Another site or account needs it again.'}
        wrong={about('/apiToken')}
      />
    </>
  )
}

function connectionOf({ url, email }: { url: string; email: string }, etag: string | undefined): Current {
  return {
    etag,
    fields: [
      { name: 'url', label: 'Address', value: url },
      { name: 'email', label: 'E-mail', value: email },
    ],
  }
}

function One({ id }: { id: number }) {
  const to = usePathTo()
  const asked = useTagged('getTicketingInstance', { params: { instanceId: id } })
  const validate = useChange('validateTicketing', touched)
  const [open, setOpen] = useState<'reconnect' | 'disconnect'>()
  const reconnect = useChange('reconnectTicketing', touched)
  const fresh = useFresh('getTicketingInstance')
  const disconnect = useChange('disconnectTicketing', touched)
  const instance = asked.data?.data.instance
  const params = { instanceId: id }
  const current = async () => {
    const { data: there, etag: now } = await fresh({ params })
    return connectionOf(there.connection, now)
  }
  return (
    <SettingsPage
      title={instance?.subdomain ?? 'Tracker'}
      back={{ to: to('settings/ticketing'), label: 'Ticketing' }}
      actions={
        instance && (
          <>
            <Button why={validate.isPending ? 'Being checked' : undefined} onClick={() => validate.mutate({ params })}>
              Check it now
            </Button>
            <Button onClick={() => setOpen('reconnect')}>Change the connection</Button>
            <Button look="danger" onClick={() => setOpen('disconnect')}>
              Disconnect…
            </Button>
          </>
        )
      }
    >
      <Part of={asked}>
        {({ data, etag }) => (
          <>
            {validate.data && <CheckLine check={validate.data} />}
            {validate.error && <ErrorBox problem={validate.error} />}
            {data.instance.isAuthRevoked && !validate.data && (
              <div className="banner bad">
                The tracker refuses the credentials. Change the connection; what waits is then tried again.
              </div>
            )}
            <TicketingConfiguration key={id} instance={data.instance} etag={etag} />
            {open === 'reconnect' && (
              <FormDialog
                title="Change the connection"
                action="Save"
                onClose={() => setOpen(undefined)}
                current={current}
                etag={etag}
                run={async (form, ifMatch) => {
                  const apiToken = form.secret('apiToken')
                  const body = { url: form.text('url'), email: form.text('email'), ...(apiToken && { apiToken }) }
                  const { check } = await reconnect.mutateAsync({ params, body, ifMatch })
                  reconnect.reset()
                  // What was found out about the former connection is over.
                  validate.reset()
                  say(
                    check.ok ? 'Connected.' : `Saved, but: ${check.problems[0]?.detail ?? 'the check failed'}`,
                    'no undo',
                  )
                }}
              >
                {(about) => (
                  <ConnectionFields
                    about={about}
                    url={data.connection.url}
                    email={data.connection.email}
                    tokenNeeded={false}
                  />
                )}
              </FormDialog>
            )}
            {open === 'disconnect' && (
              <Confirm
                title={`Disconnect ${data.instance.subdomain}`}
                action={`Disconnect ${data.instance.subdomain}`}
                onClose={() => setOpen(undefined)}
                versions={{ seen: connectionOf(data.connection, etag), current }}
                run={async (ifMatch) => {
                  await disconnect.mutateAsync({ params, ifMatch })
                  say('Disconnected.', 'no undo')
                  askBeforeLeaving(undefined)
                  go(to('settings/ticketing'))
                }}
              >
                <p>
                  Its credentials are forgotten. Which tickets belong to what is kept for when the same site is
                  connected again. Automations that make tickets there fail until then.
                </p>
              </Confirm>
            )}
          </>
        )}
      </Part>
    </SettingsPage>
  )
}
