import type { FormEvent } from 'react'
import { useChange } from '../api/ask.ts'
import type { Body } from '../api/contracts.ts'
import { ecosystems } from '../dependencies/question.ts'
import { Button } from '../ui/button.tsx'
import { Input, Select, Textarea } from '../ui/forms/field.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { say } from '../ui/overlays/toasts.tsx'
import { ErrorBox } from '../ui/states.tsx'

type Props = { effect: 'allow' | 'deny'; ecosystem?: string; name?: string; onClose: () => void }

/** Lets a package in, or keeps it out, whatever advisories say. */
export function OverrideDialog({ effect, ecosystem = 'npm', name = '', onClose }: Props) {
  const create = useChange('createOverride', ['listOverrides', 'getVerdict'])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (field: string) => String(form.get(field) ?? '').trim()
    const until = text('until')
    const body = {
      ecosystem: text('ecosystem'),
      name: text('name'),
      version: text('version'),
      effect: text('effect'),
      reason: text('reason'),
      ...(until && { expiresAt: new Date(until).toISOString() }),
    } as Body<'createOverride'>
    create.mutate(
      { body },
      {
        onSuccess: () => {
          say(`${body.name} is ${body.effect === 'allow' ? 'allowed' : 'denied'}, everywhere within a second.`)
          onClose()
        },
      },
    )
  }
  return (
    <Dialog title={effect === 'allow' ? 'Allow a package' : 'Deny a package'} onClose={onClose}>
      <form className="form" onSubmit={submit}>
        <div className="pair">
          <Select
            label="Effect"
            name="effect"
            defaultValue={effect}
            choices={[
              { value: 'allow', label: 'Allow' },
              { value: 'deny', label: 'Deny' },
            ]}
          />
          <Select label="Ecosystem" name="ecosystem" defaultValue={ecosystem} choices={ecosystems} />
        </div>
        <div className="pair">
          <Input
            label="Package"
            name="name"
            required
            defaultValue={name}
            maxLength={400}
            hint="A star at the end stands for any rest: @scope/*"
            wrong={create.error?.about('/name')}
          />
          <Input
            label="Version"
            name="version"
            maxLength={200}
            placeholder="every version"
            hint="A version or a range: <4.17.21"
            wrong={create.error?.about('/version')}
          />
        </div>
        <Textarea
          label="Why"
          name="reason"
          required
          maxLength={500}
          hint="Shown to who is refused."
          wrong={create.error?.about('/reason')}
        />
        <Input
          label="Until"
          name="until"
          type="datetime-local"
          hint="Empty: until somebody takes it back."
          wrong={create.error?.about('/expiresAt')}
        />
        {create.error && <ErrorBox problem={create.error} />}
        <div className="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary">
            {effect === 'allow' ? 'Allow' : 'Deny'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
