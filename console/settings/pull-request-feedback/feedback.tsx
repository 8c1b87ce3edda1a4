import { useState } from 'react'
import type { CodeHost, CodeHostCheck } from '../../../src/capabilities/pull-request-feedback/contract.ts'
import { useChange, usePages, useTagged } from '../../api/ask.ts'
import { useMay } from '../../app/deployment.ts'
import { Button } from '../../ui/button.tsx'
import { useOpened } from '../../ui/forms/begun.ts'
import { Confirm } from '../../ui/overlays/confirm.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { ShownOnce } from '../../ui/overlays/shown-once.tsx'
import { say } from '../../ui/overlays/toasts.tsx'
import { Card } from '../../ui/page.tsx'
import { Empty, ErrorBox, Part } from '../../ui/states.tsx'
import { CopyLine } from '../../ui/text/copy-line.tsx'
import { Foreign } from '../../ui/text/foreign.tsx'
import { Ago, Tag } from '../../ui/text/marks.tsx'
import { plural } from '../../ui/text/words.ts'
import { SettingsPage } from '../frame.tsx'
import { CodeHostDialog, touched } from './code-host-form.tsx'
import { kinds, outcomeTones, postsOf } from './code-host-words.ts'

type Secret = { webhookSecret: string; codeHost: CodeHost; check?: CodeHostCheck }
type Open = { what: 'new' } | { what: 'edit' | 'secret' | 'remove'; host: CodeHost }

export default function PullRequestFeedbackPage() {
  const pages = usePages('listCodeHosts', { query: { pageSize: 50 } })
  const write = useMay('scm-apps:write')
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  // Beside what is open: the form that it comes from closes right after.
  const [made, setMade] = useState<Secret>()
  const rows = pages.data?.pages.flatMap((page) => page.codeHosts) ?? []
  return (
    <SettingsPage
      title="Pull request feedback"
      about="GitHub and GitLab: Gatehouse reports what it found in a pull request there, where developers look."
      actions={
        <Button look="primary" why={write.why} onClick={() => setOpen({ what: 'new' })}>
          Connect a code host
        </Button>
      }
    >
      <Part of={pages}>
        {() =>
          rows.length === 0 ? (
            <Empty title="No code host is connected">
              <p>Connect GitHub or GitLab. The next scan of a pull request sets its status and comments on it.</p>
            </Empty>
          ) : (
            <>
              {rows.map((host) => (
                <HostCard key={host.id} host={host} why={write.why} onOpen={(what) => setOpen({ what, host })} />
              ))}
              {pages.hasNextPage && <Button onClick={() => void pages.fetchNextPage()}>More code hosts</Button>}
            </>
          )
        }
      </Part>
      {open?.what === 'new' && <CodeHostDialog onConnected={setMade} onClose={close} />}
      {open?.what === 'edit' && <Loaded id={Number(open.host.id)} onClose={close} />}
      {open?.what === 'secret' && <NewSecret host={open.host} onMade={setMade} onClose={close} />}
      {made && <WebhookSecret made={made} onClose={() => setMade(undefined)} />}
      {open?.what === 'remove' && <RemoveDialog host={open.host} onClose={close} />}
    </SettingsPage>
  )
}

type CardProps = { host: CodeHost; why: string | undefined; onOpen: (what: 'edit' | 'secret' | 'remove') => void }

function HostCard({ host, why, onOpen }: CardProps) {
  const check = useChange('checkCodeHost', touched)
  const title = `${kinds[host.kind].label}: ${host.owners.join(', ')}`
  return (
    <Card title={title} aside={host.lastDelivery && <Outcome of={host.lastDelivery.outcome} />}>
      {host.lastDelivery?.outcome === 'failed' && (
        <div className="banner bad">
          <Foreign text={host.lastDelivery.detail} clamp={400} />
        </div>
      )}
      <dl className="facts">
        <dt>API</dt>
        <dd>
          <Foreign text={host.apiUrl} mono />
        </dd>
        <dt>Posts</dt>
        <dd>{postsOf(host)}</dd>
        <dt>Comments are by</dt>
        <dd>{host.account ? <Foreign text={host.account} /> : 'not known yet: test it'}</dd>
        <dt>Last delivery</dt>
        <dd>
          {host.lastDelivery ? (
            <>
              <Foreign text={`${host.lastDelivery.repository} #${host.lastDelivery.pullRequest}`} />,{' '}
              <Ago at={host.lastDelivery.at} />: <Foreign text={host.lastDelivery.detail} clamp={400} />
            </>
          ) : (
            'none yet'
          )}
        </dd>
        <dt>Events</dt>
        <dd>
          {plural(host.eventCount, 'event')}, the last <Ago at={host.lastEventAt} />
        </dd>
        <dt>Webhook</dt>
        <dd>
          <Foreign text={host.webhookUrl} mono />
        </dd>
      </dl>
      {check.data && <CheckLine check={check.data} />}
      {check.error && <ErrorBox problem={check.error} />}
      <div className="row">
        <Button
          why={why ?? (check.isPending ? 'Being tested' : undefined)}
          aria-label={`Test ${title}`}
          onClick={() => check.mutate({ params: { codeHostId: Number(host.id) } })}
        >
          Test
        </Button>
        <Button why={why} aria-label={`Change ${title}`} onClick={() => onOpen('edit')}>
          Change
        </Button>
        <Button why={why} aria-label={`New webhook secret for ${title}`} onClick={() => onOpen('secret')}>
          New webhook secret…
        </Button>
        <Button look="danger" why={why} aria-label={`Remove ${title}`} onClick={() => onOpen('remove')}>
          Remove…
        </Button>
      </div>
    </Card>
  )
}

function Outcome({ of }: { of: NonNullable<CodeHost['lastDelivery']>['outcome'] }) {
  return <Tag tone={outcomeTones[of]}>{`last delivery ${of}`}</Tag>
}

function CheckLine({ check }: { check: CodeHostCheck }) {
  return (
    <div className={check.ok ? 'banner ok' : 'banner bad'} role="status">
      {check.ok ? (
        <>
          It works. Comments are by <Foreign text={check.account} />.
        </>
      ) : (
        <Foreign text={check.problem} clamp={400} />
      )}
    </div>
  )
}

function Loaded({ id, onClose }: { id: number; onClose: () => void }) {
  const asked = useTagged('getCodeHost', { params: { codeHostId: id } })
  const opened = useOpened(asked)
  if (opened) {
    const { data, etag } = opened
    return <CodeHostDialog stored={data.codeHost} etag={etag} onConnected={onClose} onClose={onClose} />
  }
  return (
    <Dialog title="Code host" onClose={onClose}>
      <Part of={{ ...asked, data: undefined }}>{() => null}</Part>
    </Dialog>
  )
}

function WebhookSecret({ made, onClose }: { made: Secret; onClose: () => void }) {
  const { codeHost, webhookSecret, check } = made
  const [ofPullRequests, ofBranches] =
    codeHost.kind === 'github' ? ['Pull requests', 'Branch or tag deletion'] : ['Merge request events', 'Push events']
  return (
    <ShownOnce
      title="The secret of the webhook"
      secret={webhookSecret}
      label="the secret of the webhook"
      onClose={onClose}
    >
      {check && <CheckLine check={check} />}
      <p>
        So that pull requests end here when they are merged or closed, and branches when they are deleted, add a webhook
        there with this secret, with the content type <code>application/json</code> and the events “{ofPullRequests}”
        and “{ofBranches}”, to this address:
      </p>
      <CopyLine text={codeHost.webhookUrl} label="the address of the webhook" />
    </ShownOnce>
  )
}

function NewSecret(props: { host: CodeHost; onMade: (made: Secret) => void; onClose: () => void }) {
  const replace = useChange('replaceCodeHostWebhookSecret', touched)
  return (
    <Confirm
      title="Make another webhook secret"
      action="Make another secret"
      onClose={props.onClose}
      run={() =>
        replace.mutateAsync({ params: { codeHostId: Number(props.host.id) } }).then((made) => {
          replace.reset()
          props.onMade(made)
        })
      }
    >
      <p>Events that are signed with the secret in use are refused from then on, until the webhook has the new one.</p>
    </Confirm>
  )
}

function RemoveDialog({ host, onClose }: { host: CodeHost; onClose: () => void }) {
  const remove = useChange('removeCodeHost', touched)
  const name = `${kinds[host.kind].label} of ${host.owners.join(', ')}`
  return (
    <Confirm
      title={`Remove ${name}`}
      action="Remove it"
      onClose={onClose}
      run={() =>
        remove
          .mutateAsync({ params: { codeHostId: Number(host.id) } })
          .then(() => say(`${name} is removed.`, 'no undo'))
      }
    >
      <p>Its credential is destroyed. Comments and statuses stay where they are and are no longer kept up to date.</p>
    </Confirm>
  )
}
