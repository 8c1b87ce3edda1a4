import { useState } from 'react'
import type { ChatSubscription } from '../../../src/capabilities/chat/messages/subscription-contract.ts'
import { useAsk, useChange } from '../../api/ask.ts'
import { call } from '../../api/call.ts'
import { useChannels } from '../../api/channels.ts'
import { asProblem, type Problem } from '../../api/problem.ts'
import { useDeployment, useMay } from '../../app/deployment.ts'
import { Button } from '../../ui/button.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { Confirm } from '../../ui/overlays/confirm.tsx'
import { say, sayFailure } from '../../ui/overlays/toasts.tsx'
import { Card } from '../../ui/page.tsx'
import { Empty, ErrorBox, Part } from '../../ui/states.tsx'
import { Foreign } from '../../ui/text/foreign.tsx'
import { Tag } from '../../ui/text/marks.tsx'
import { label, list, plural, wordOf } from '../../ui/text/words.ts'
import { SettingsPage } from '../frame.tsx'
import { eventNames, rememberInstall } from './chat-events.ts'
import { SubscriptionDialog } from './chat-subscription.tsx'

const touched = ['getChatInstallation', 'listChatChannels', 'listChatSubscriptions'] as const

export default function ChatPage() {
  const deployment = useDeployment()
  const asked = useAsk('getChatInstallation', {}, { keep: false })
  const write = useMay('chat:write')
  const [problem, setProblem] = useState<Problem>()
  const [removing, setRemoving] = useState(false)
  const uninstall = useChange('uninstallChat', touched)
  const missing = asked.error?.status === 404
  const installed = asked.data && !asked.data.archived
  const install = async () => {
    setProblem(undefined)
    try {
      const { redirect_url: address } = await call('getChatInstallUrl', { params: { deploymentId: deployment.id } })
      rememberInstall(sessionStorage, deployment.slug)
      window.location.assign(address)
    } catch (error) {
      setProblem(asProblem(error))
    }
  }
  const installButton = (text: string) => (
    <Button look="primary" why={write.why} onClick={() => void install()}>
      {text}
    </Button>
  )
  return (
    <SettingsPage
      title="Chat"
      about="The app that posts to channels what happens."
      actions={
        installed &&
        write.may && (
          <Button look="danger" onClick={() => setRemoving(true)}>
            Uninstall…
          </Button>
        )
      }
    >
      {problem && <ErrorBox problem={problem} />}
      {missing ? (
        <Empty title="The chat app is not installed">
          <p>Installing leads to the chat service, where you allow it, and back here.</p>
          {installButton('Install the chat app')}
        </Empty>
      ) : (
        <Part of={asked}>
          {(installation) => (
            <>
              <Card
                title={installation.team_name || installation.enterprise_name || 'Chat app'}
                aside={
                  <Tag tone={installation.archived ? 'bad' : installation.update_available ? 'warn' : 'ok'}>
                    {installation.archived
                      ? 'uninstalled'
                      : installation.update_available
                        ? 'update available'
                        : 'installed'}
                  </Tag>
                }
              >
                <dl className="facts">
                  <dt>Workspace</dt>
                  <dd>
                    <Foreign text={installation.team_name || 'the whole organisation'} />
                  </dd>
                  {installation.enterprise_name && (
                    <>
                      <dt>Organisation</dt>
                      <dd>
                        <Foreign text={installation.enterprise_name} />
                      </dd>
                    </>
                  )}
                  <dt>App</dt>
                  <dd className="mono">{installation.app_id}</dd>
                </dl>
                {(installation.archived || installation.update_available) && (
                  <div className="row">{installButton(installation.archived ? 'Install it again' : 'Update it')}</div>
                )}
              </Card>
              {!installation.archived && write.may && <TestMessage />}
              {!installation.archived && <Subscriptions why={write.why} />}
            </>
          )}
        </Part>
      )}
      {removing && (
        <Confirm
          title="Uninstall the chat app"
          action="Uninstall"
          onClose={() => setRemoving(false)}
          run={async () => {
            const { revoked } = await uninstall.mutateAsync({})
            say(
              revoked
                ? 'Uninstalled.'
                : 'Forgotten here. The chat service did not confirm it: remove the app there by hand.',
              'no undo',
            )
          }}
        >
          <p>The chat service is asked to take the access back. Channels then get no more messages.</p>
        </Confirm>
      )}
    </SettingsPage>
  )
}

function TestMessage() {
  const channels = useChannels()
  const [channel, setChannel] = useState('')
  const send = useChange('sendChatTestMessage')
  return (
    <Card title="Try it">
      <Part of={channels}>
        {(all) => (
          <div className="row">
            <select
              className="input short"
              aria-label="Channel for the test message"
              value={channel}
              onChange={(event) => setChannel(event.target.value)}
            >
              <option value="">Choose a channel</option>
              {all.map((each) => (
                <option key={each.id} value={each.id}>
                  #{each.name}
                  {each.is_private ? ' (private)' : ''}
                </option>
              ))}
            </select>
            <Button
              why={channel ? (send.isPending ? 'Being sent' : undefined) : 'Choose a channel first.'}
              onClick={() =>
                send.mutate({ body: { channel } }, { onSuccess: () => say('The message is in the channel.') })
              }
            >
              Send a test message
            </Button>
          </div>
        )}
      </Part>
      {send.error && <ErrorBox problem={send.error} />}
    </Card>
  )
}

function Subscriptions({ why }: { why: string | undefined }) {
  const asked = useAsk('listChatSubscriptions')
  const remove = useChange('deleteChatSubscription', touched)
  const add = useChange('createChatSubscription', touched)
  const [open, setOpen] = useState<ChatSubscription | 'new'>()
  const takeAway = (subscription: ChatSubscription) => {
    const { channel, events, severities, products, repositoryIds } = subscription
    remove.mutate(
      { params: { subscriptionId: subscription.id } },
      {
        onSuccess: () =>
          say(`#${subscription.channelName} gets no more messages.`, () =>
            add.mutate(
              { body: { channel, events, severities, products, repositoryIds } },
              {
                onSuccess: () => say(`Undone: #${subscription.channelName} gets messages again.`),
                onError: (problem) => sayFailure(`Not undone: ${problem.message}`),
              },
            ),
          ),
        onError: (problem) => sayFailure(`Not done: ${problem.message}`),
      },
    )
  }
  return (
    <Card
      title="What channels are told"
      aside={
        <Button why={why} onClick={() => setOpen('new')}>
          Tell a channel
        </Button>
      }
    >
      <Part of={asked}>
        {({ subscriptions }) =>
          subscriptions.length === 0 ? (
            <p className="muted">No channel gets messages yet.</p>
          ) : (
            <Table
              label="What channels are told"
              rows={subscriptions}
              keyOf={(row) => row.id}
              columns={[
                { label: 'Channel', cell: (row) => <Foreign text={`#${row.channelName}`} /> },
                { label: 'Events', cell: (row) => list(row.events.map((event) => eventNames[event])) },
                {
                  label: 'Only',
                  cell: (row) =>
                    [
                      ...row.severities.map((each) => label(wordOf(each))),
                      ...row.products.map((each) => label(wordOf(each))),
                      ...(row.repositoryIds.length > 0
                        ? [plural(row.repositoryIds.length, 'repository', 'repositories')]
                        : []),
                    ].join(', ') || 'everything',
                },
                {
                  label: 'Actions',
                  quiet: true,
                  end: true,
                  cell: (row) => (
                    <span className="row tight end">
                      <Button
                        why={why}
                        aria-label={`Edit what #${row.channelName} is told`}
                        onClick={() => setOpen(row)}
                      >
                        Edit
                      </Button>
                      <Button
                        why={why}
                        aria-label={`Tell #${row.channelName} nothing more`}
                        onClick={() => takeAway(row)}
                      >
                        Remove
                      </Button>
                    </span>
                  ),
                },
              ]}
            />
          )
        }
      </Part>
      {open && (
        <SubscriptionDialog subscription={open === 'new' ? undefined : open} onClose={() => setOpen(undefined)} />
      )}
    </Card>
  )
}
