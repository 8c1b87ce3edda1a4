import { useState } from 'react'
import type { ActionType, SentConfig } from '../../src/capabilities/automations/automation.ts'
import { useAsk } from '../api/ask.ts'
import { useChannels } from '../api/channels.ts'
import { useMay } from '../app/deployment.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icons.tsx'
import { CopyLine } from '../ui/text/copy-line.tsx'
import { label, wordOf } from '../ui/text/words.ts'
import { actions, conditions, type DraftAction, newSigningKey } from './words.ts'

type Props = {
  actions: readonly DraftAction[]
  blockable: boolean
  onChange: (actions: DraftAction[]) => void
  about: (pointer: string) => string | undefined
}

/** The end of the sentence: what is done, each of it. */
export function ActionsEditor({ actions: all, blockable, onChange, about }: Props) {
  const set = (at: number, action: DraftAction) => onChange(all.map((each, index) => (index === at ? action : each)))
  const types = (Object.keys(actions) as ActionType[]).filter((type) => blockable || type !== 'ACTION_TYPE_BLOCK')
  return (
    <div className="stack">
      {all.map((action, at) => (
        <div key={action.key} className="stack tight">
          <div className="part">
            <select
              className="input"
              aria-label={`Action ${at + 1}`}
              value={action.type}
              onChange={(event) => set(at, { key: action.key, type: event.target.value as ActionType, config: {} })}
            >
              {types.map((type) => (
                <option key={type} value={type}>
                  {actions[type]}
                </option>
              ))}
              {!types.includes(action.type) && <option value={action.type}>{actions[action.type]}</option>}
            </select>
            <Settings action={action} at={at} onChange={(config) => set(at, { ...action, config })} />
            <Button
              look="icon"
              aria-label={`Take action ${at + 1} out`}
              why={all.length === 1 ? 'An automation does at least one thing.' : undefined}
              onClick={() => onChange(all.filter((_, index) => index !== at))}
            >
              <Icon name="close" />
            </Button>
          </div>
          {about(`/actions/${at}`) && <span className="wrong small">{about(`/actions/${at}`)}</span>}
        </div>
      ))}
      <div>
        <Button
          why={all.length >= 20 ? 'At most 20 actions.' : undefined}
          onClick={() => onChange([...all, { key: crypto.randomUUID(), type: 'ACTION_TYPE_EMAIL', config: {} }])}
        >
          <Icon name="plus" size={12} /> Action
        </Button>
      </div>
    </div>
  )
}

type SettingsProps = { action: DraftAction; at: number; onChange: (config: SentConfig) => void }

function Settings(props: SettingsProps) {
  switch (props.action.type) {
    case 'ACTION_TYPE_TRIAGE':
      return <Triage {...props} />
    case 'ACTION_TYPE_EMAIL':
      return <Mail {...props} />
    case 'ACTION_TYPE_CHAT':
      return <ChatChannel {...props} />
    case 'ACTION_TYPE_TICKET':
      return <Tracker {...props} />
    case 'ACTION_TYPE_CLOUDSEC':
      return <CloudSecurity {...props} />
    case 'ACTION_TYPE_WEBHOOK':
      return <Webhook {...props} />
    case 'ACTION_TYPE_BLOCK':
      return null
  }
}

const reasons = ['FALSE_POSITIVE', 'ACCEPTABLE_RISK', 'NO_TIME'].map((word) => `TRIAGE_REASON_${word}`)

function Triage({ action, at, onChange }: SettingsProps) {
  const { triageState = '', triageReason = '' } = action.config
  const put = (change: object) => onChange({ ...action.config, ...change })
  return (
    <>
      <select
        className="input"
        aria-label={`State that action ${at + 1} decides on`}
        value={triageState}
        onChange={(event) => put({ triageState: event.target.value })}
      >
        <option value="">Choose a state</option>
        {conditions.CONDITION_TYPE_TRIAGE_STATE.values!.map((state) => (
          <option key={state} value={state}>
            {label(wordOf(state))}
          </option>
        ))}
      </select>
      <select
        className="input"
        aria-label={`Reason of action ${at + 1}`}
        value={triageReason}
        onChange={(event) => put({ triageReason: event.target.value || undefined })}
      >
        <option value="">no reason</option>
        {reasons.map((reason) => (
          <option key={reason} value={reason}>
            {label(wordOf(reason))}
          </option>
        ))}
      </select>
    </>
  )
}

function Mail({ action, at, onChange }: SettingsProps) {
  const [text, setText] = useState((action.config.to ?? []).join(', '))
  return (
    <input
      className="input wide"
      aria-label={`Addresses of action ${at + 1}`}
      placeholder="security@example.com, …"
      value={text}
      onChange={(event) => {
        setText(event.target.value)
        onChange({ to: event.target.value.split(/[\s,;]+/).filter(Boolean) })
      }}
    />
  )
}

function ChatChannel({ action, at, onChange }: SettingsProps) {
  const { may } = useMay('chat:write')
  const channels = useChannels(may)
  const channel = action.config.channel ?? ''
  const set = (value: string) => onChange({ channel: value })
  if (!channels.data || channels.error)
    return (
      <>
        <input
          className="input wide"
          aria-label={`Channel of action ${at + 1}`}
          placeholder="Id of the channel"
          value={channel}
          onChange={(event) => set(event.target.value.trim())}
        />
        {channels.error && <span className="small muted">{channels.error.message}</span>}
      </>
    )
  return (
    <select
      className="input"
      aria-label={`Channel of action ${at + 1}`}
      value={channel}
      onChange={(event) => set(event.target.value)}
    >
      <option value="">Choose a channel</option>
      {channels.data.map((each) => (
        <option key={each.id} value={each.id}>
          #{each.name}
        </option>
      ))}
      {channel && !channels.data.some((each) => each.id === channel) && <option value={channel}>{channel}</option>}
    </select>
  )
}

function Tracker({ action, at, onChange }: SettingsProps) {
  const { data } = useAsk('listTicketingInstances')
  return (
    <select
      className="input"
      aria-label={`Tracker of action ${at + 1}`}
      value={action.config.ticketingInstanceId ?? ''}
      onChange={(event) => onChange(event.target.value ? { ticketingInstanceId: event.target.value } : {})}
    >
      <option value="">in the tracker that is connected</option>
      {(data?.instances ?? []).map((each) => (
        <option key={each.id} value={String(each.id)}>
          {each.subdomain}
        </option>
      ))}
    </select>
  )
}

function CloudSecurity({ action, at, onChange }: SettingsProps) {
  const { data } = useAsk('listCloudsecCredentials', { query: { pageSize: 100 } })
  return (
    <select
      className="input"
      aria-label={`Credential of action ${at + 1}`}
      value={action.config.cloudsecCredentialId ?? ''}
      onChange={(event) => onChange(event.target.value ? { cloudsecCredentialId: event.target.value } : {})}
    >
      <option value="">Choose a credential</option>
      {(data?.cloudsecCredentials ?? []).map((each) => (
        <option key={each.id} value={each.id}>
          {each.clientId}
        </option>
      ))}
    </select>
  )
}

/** Its address and key are stored encrypted and never shown again: kept, or replaced as a whole. */
function Webhook({ action, at, onChange }: SettingsProps) {
  const [replacing, setReplacing] = useState(action.origin === undefined)
  const [shown, setShown] = useState('')
  const put = (change: object) => onChange({ ...action.config, ...change })
  if (!replacing)
    return (
      <>
        <code>{action.origin}</code>
        <Button onClick={() => setReplacing(true)}>Replace address and key</Button>
      </>
    )
  return (
    <>
      <input
        className="input wide"
        type="url"
        aria-label={`Address of action ${at + 1}`}
        placeholder="https://hooks.example.com/gatehouse"
        autoComplete="off"
        onChange={(event) => put({ url: event.target.value.trim() })}
      />
      <input
        className="input wide"
        type="password"
        aria-label={`Signing key of action ${at + 1}`}
        placeholder="whsec_…"
        autoComplete="new-password"
        value={action.config.secret ?? ''}
        onChange={(event) => put({ secret: event.target.value.trim() })}
      />
      <Button
        onClick={() => {
          const secret = newSigningKey(crypto.getRandomValues(new Uint8Array(32)))
          setShown(secret)
          put({ secret })
        }}
      >
        Make a key
      </Button>
      {shown && shown === action.config.secret && (
        <div className="stack tight">
          <span className="small muted">The receiver needs it. It is shown only now.</span>
          <CopyLine text={shown} label="the signing key" />
        </div>
      )}
    </>
  )
}
