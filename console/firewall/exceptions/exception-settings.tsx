import { useState } from 'react'
import { useAsk, useChange, useFresh, useTagged } from '../../api/ask.ts'
import { useMay } from '../../app/deployment.ts'
import { Button } from '../../ui/button.tsx'
import { Check, Textarea } from '../../ui/forms/field.tsx'
import { FormDialog } from '../../ui/forms/form-dialog.tsx'
import { say } from '../../ui/overlays/toasts.tsx'
import { Card } from '../../ui/page.tsx'
import { Part, Waiting } from '../../ui/states.tsx'
import { Foreign } from '../../ui/text/foreign.tsx'

type Settings = { contact: string; fourEyes: boolean }

/** What every refusal says, and who may approve. */
export function ExceptionSettings() {
  const asked = useAsk('getExceptionSettings')
  const { why } = useMay('firewall:write')
  const [editing, setEditing] = useState(false)
  return (
    <Card
      title="Rules for exceptions"
      aside={
        <Button why={why} onClick={() => setEditing(true)}>
          Change…
        </Button>
      }
    >
      <Part of={asked}>
        {({ contact, fourEyes }) => (
          <>
            <p>
              {fourEyes ? 'Whoever asked does not approve.' : 'Whoever asked may approve, if their role allows it.'}
            </p>
            <p>
              {contact ? (
                <>
                  Every refusal ends with: <Foreign text={contact} />
                </>
              ) : (
                'Refusals say nothing about whom to ask.'
              )}
            </p>
          </>
        )}
      </Part>
      {editing && <SettingsDialog onClose={() => setEditing(false)} />}
    </Card>
  )
}

function SettingsDialog({ onClose }: { onClose: () => void }) {
  const { data } = useTagged('getExceptionSettings')
  return data ? <SettingsForm settings={data.data} etag={data.etag} onClose={onClose} /> : <Waiting />
}

/** It goes on from the version that it began with. */
function SettingsForm(props: { settings: Settings; etag: string | undefined; onClose: () => void }) {
  const [{ settings, etag }] = useState(props)
  const put = useChange('putExceptionSettings', ['getExceptionSettings', 'getRefusedPackage'])
  const fresh = useFresh('getExceptionSettings')
  return (
    <FormDialog
      title="Rules for exceptions"
      action="Save"
      onClose={props.onClose}
      etag={etag}
      run={async ({ text, has }, ifMatch) => {
        const body = { contact: text('contact'), fourEyes: has('fourEyes') }
        await put.mutateAsync({ body, ifMatch })
        say('Saved, in force within a second.', 'no undo')
      }}
      current={async () => {
        const { data, etag: now } = await fresh({})
        const fields = [
          { name: 'contact', label: 'What every refusal ends with', value: data.contact },
          { name: 'fourEyes', label: 'Whoever asked does not approve', value: data.fourEyes ? 'on' : '' },
        ]
        return { etag: now, fields }
      }}
    >
      {(about) => (
        <>
          <Check
            label="Whoever asked for an exception does not approve it"
            name="fourEyes"
            defaultChecked={settings.fourEyes}
          />
          <Textarea
            label="What every refusal ends with"
            name="contact"
            maxLength={200}
            defaultValue={settings.contact}
            hint="For example: Ask in #platform, or call 42."
            wrong={about('/contact')}
          />
        </>
      )}
    </FormDialog>
  )
}
