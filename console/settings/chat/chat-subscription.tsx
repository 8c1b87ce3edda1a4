import { useState } from 'react'
import type { ChatEvent, ChatSubscription } from '../../../src/capabilities/chat/messages/subscription-contract.ts'
import { useChange } from '../../api/ask.ts'
import { useChannels } from '../../api/channels.ts'
import { Check, Select } from '../../ui/forms/field.tsx'
import { FormDialog } from '../../ui/forms/form-dialog.tsx'
import { RepositoryChooser } from '../../ui/forms/repository-chooser.tsx'
import { say } from '../../ui/overlays/toasts.tsx'
import { label, wordOf } from '../../ui/text/words.ts'
import { eventNames } from './chat-events.ts'

const severities = ['SEVERITY_CRITICAL', 'SEVERITY_HIGH', 'SEVERITY_MEDIUM', 'SEVERITY_LOW', 'SEVERITY_INFO'] as const
const products = ['PRODUCT_TYPE_SAST', 'PRODUCT_TYPE_SCA', 'PRODUCT_TYPE_SECRETS', 'PRODUCT_TYPE_AI'] as const

type Props = { subscription: ChatSubscription | undefined; onClose: () => void }

export function SubscriptionDialog({ subscription, onClose }: Props) {
  const channels = useChannels()
  const [repositoryIds, setRepositoryIds] = useState<string[]>(subscription?.repositoryIds ?? [])
  const create = useChange('createChatSubscription', ['listChatSubscriptions'])
  const update = useChange('updateChatSubscription', ['listChatSubscriptions'])
  const group = <Name extends string>(title: string, name: string, values: readonly Name[], has: readonly string[]) => (
    <fieldset className="row">
      <legend className="legend">{title}</legend>
      {values.map((value) => (
        <Check
          key={value}
          name={name}
          value={value}
          defaultChecked={has.includes(value)}
          label={label(wordOf(value))}
        />
      ))}
    </fieldset>
  )
  return (
    <FormDialog
      title={subscription ? `What #${subscription.channelName} is told` : 'Tell a channel'}
      action="Save"
      onClose={onClose}
      run={async (form) => {
        const body = {
          events: form.texts('events') as ChatEvent[],
          severities: form.texts('severities') as ChatSubscription['severities'],
          products: form.texts('products') as ChatSubscription['products'],
          repositoryIds,
        }
        if (subscription) await update.mutateAsync({ params: { subscriptionId: subscription.id }, body })
        else await create.mutateAsync({ body: { ...body, channel: form.text('channel') } })
        say('Saved.', 'no undo')
      }}
    >
      {(about) => (
        <>
          {!subscription && (
            <Select
              label="Channel"
              name="channel"
              required
              wrong={about('/channel') ?? channels.error?.message}
              choices={[
                { value: '', label: channels.data || channels.error ? 'Choose a channel' : 'Asking the chat service' },
                ...(channels.data ?? []).map((each) => ({ value: each.id, label: `#${each.name}` })),
              ]}
            />
          )}
          <fieldset className="stack tight">
            <legend className="legend">Events</legend>
            {(Object.keys(eventNames) as ChatEvent[]).map((event) => (
              <Check
                key={event}
                name="events"
                value={event}
                label={eventNames[event]}
                defaultChecked={subscription?.events.includes(event)}
              />
            ))}
            {about('/events') && <span className="wrong small">{about('/events')}</span>}
          </fieldset>
          {group('Only of these severities (none: all)', 'severities', severities, subscription?.severities ?? [])}
          {group('Only of these products (none: all)', 'products', products, subscription?.products ?? [])}
          <div className="field">
            <span className="label">Only in these repositories</span>
            <div>
              <RepositoryChooser
                label="Repositories"
                by="id"
                many
                chosen={repositoryIds}
                onChoose={setRepositoryIds}
                empty="All repositories"
              />
            </div>
          </div>
        </>
      )}
    </FormDialog>
  )
}
