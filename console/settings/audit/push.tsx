import { useState } from 'react'
import type { AuditWebhook } from '../../../src/capabilities/audit/streams/stream-contract.ts'
import { useAsk, useChange } from '../../api/ask.ts'
import { useMay } from '../../app/deployment.ts'
import { Button } from '../../ui/button.tsx'
import { Input, Select } from '../../ui/forms/field.tsx'
import { FormDialog } from '../../ui/forms/form-dialog.tsx'
import { Confirm } from '../../ui/overlays/confirm.tsx'
import { ShownOnce } from '../../ui/overlays/shown-once.tsx'
import { say, sayFailure } from '../../ui/overlays/toasts.tsx'
import { Card } from '../../ui/page.tsx'
import { Part } from '../../ui/states.tsx'
import { Foreign } from '../../ui/text/foreign.tsx'
import { Ago } from '../../ui/text/marks.tsx'
import { plural } from '../../ui/text/words.ts'

/** Where events are pushed to, and how far. */
export function Push() {
  const write = useMay('audit:write')
  const asked = useAsk('getAuditWebhook', {}, { refetchInterval: 10_000 })
  const set = useChange('setAuditWebhook', ['getAuditWebhook'])
  const remove = useChange('removeAuditWebhook', ['getAuditWebhook'])
  const [open, setOpen] = useState<'set' | 'remove'>()
  const [key, setKey] = useState<string>()
  const turn = (active: boolean) =>
    set.mutateAsync({ body: { active } }).then(
      () => say(active ? 'Events are pushed again.' : 'Events wait from now on.', 'no undo'),
      (problem) => sayFailure(`Not done: ${problem.message}`),
    )
  return (
    <Card title="Push to a SIEM">
      <Part of={asked}>
        {({ webhook }) => (
          <>
            {webhook.configured ? (
              <State webhook={webhook} />
            ) : (
              <p className="muted">Every event can be posted to a webhook of yours: in order, signed, none left out.</p>
            )}
            <div className="row">
              <Button why={write.why} onClick={() => setOpen('set')}>
                {webhook.configured ? 'Change the address' : 'Set up a webhook'}
              </Button>
              {webhook.configured && (
                <>
                  <Button why={write.why} onClick={() => void turn(!webhook.active)}>
                    {webhook.active ? 'Put off' : 'Go on'}
                  </Button>
                  <Button look="danger" why={write.why} onClick={() => setOpen('remove')}>
                    Remove the webhook
                  </Button>
                </>
              )}
            </div>
          </>
        )}
      </Part>
      {open === 'set' && (
        <WebhookDialog isNew={!asked.data?.webhook.configured} onClose={() => setOpen(undefined)} onKey={setKey} />
      )}
      {key && (
        <ShownOnce title="The signing key" secret={key} label="the signing key" onClose={() => setKey(undefined)}>
          <p>Your receiver checks with it that events come from here.</p>
        </ShownOnce>
      )}
      {open === 'remove' && (
        <Confirm
          title="Remove the webhook"
          action="Push no more"
          onClose={() => setOpen(undefined)}
          run={() => remove.mutateAsync({}).then(() => say('Events are pushed no more.', 'no undo'))}
        >
          <p>The log itself stays. How far the receiver was is forgotten.</p>
        </Confirm>
      )}
    </Card>
  )
}

function State({ webhook }: { webhook: AuditWebhook }) {
  const { origin, active, behind, sentAt, failingSince, error } = webhook
  return (
    <>
      <p>
        <Foreign text={origin} mono /> {active ? '' : '(put off) '}
        has everything but {plural(behind, 'event')}. Last taken: <Ago at={sentAt} />.
      </p>
      {failingSince && (
        <p className="banner bad">
          It has not taken events since <Ago at={failingSince} />: <Foreign text={error} /> They are kept and sent when
          it does.
        </p>
      )}
    </>
  )
}

type DialogProps = { isNew: boolean; onClose: () => void; onKey: (key: string) => void }

function WebhookDialog({ isNew, onClose, onKey }: DialogProps) {
  const set = useChange('setAuditWebhook', ['getAuditWebhook'])
  return (
    <FormDialog
      title={isNew ? 'Push audit events' : 'Another address'}
      action="Save"
      onClose={onClose}
      run={async (form) => {
        const signingKey = newSigningKey()
        const from = form.has('from') && { from: form.text('from') as 'now' | 'beginning' }
        await set.mutateAsync({ body: { url: form.text('url'), signingKey, ...from } })
        onKey(signingKey)
      }}
    >
      {(about) => (
        <>
          <Input
            label="Address"
            name="url"
            required
            placeholder="https://siem.example.com/gatehouse"
            hint="Never shown again. A new signing key is made with it."
            wrong={about('/url')}
            autoFocus
          />
          {isNew && (
            <Select
              label="Begin with"
              name="from"
              defaultValue="now"
              choices={[
                { value: 'now', label: 'the next event' },
                { value: 'beginning', label: 'the first event of the log' },
              ]}
            />
          )}
        </>
      )}
    </FormDialog>
  )
}

function newSigningKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return `whsec_${btoa(String.fromCharCode(...bytes))}`
}
