import { type FormEvent, useRef, useState } from 'react'
import { useAsk, useChange } from '../api/ask.ts'
import type { Body } from '../api/contracts.ts'
import { ecosystems } from '../dependencies/question.ts'
import { Button } from '../ui/button.tsx'
import { Input, Select, Textarea } from '../ui/forms/field.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { say } from '../ui/overlays/toasts.tsx'
import { ErrorBox, Part } from '../ui/states.tsx'
import { TrialOutcome } from './trial-outcome.tsx'

type Props = { effect: 'allow' | 'deny'; ecosystem?: string; name?: string; onClose: () => void }

/** Packages carry the verdicts on their versions. */
const touched = ['listOverrides', 'getVerdict', 'getPackage', 'searchPackages'] as const

/** Lets a package in, or keeps it out, whatever advisories say. */
export function OverrideDialog({ effect, ecosystem = 'npm', name = '', onClose }: Props) {
  const create = useChange('createOverride', touched)
  const remove = useChange('deleteOverride', touched)
  const takeBack = (overrideId: number, of: string) =>
    remove.mutateAsync({ params: { overrideId } }).then(() => say(`Undone: the override for ${of} is gone.`))
  const [tried, setTried] = useState<Body<'createOverride'>>()
  const form = useRef<HTMLFormElement>(null)
  const attempt = () => {
    if (form.current?.reportValidity()) setTried(overrideIn(form.current, effect))
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const body = overrideIn(event.currentTarget, effect)
    create.mutate(
      { body },
      {
        onSuccess: ({ override }) => {
          const done = effect === 'allow' ? 'allowed' : 'denied'
          say(`${body.name} is ${done}, everywhere within a second.`, () => takeBack(override.id, body.name))
          onClose()
        },
      },
    )
  }
  return (
    <Dialog title={effect === 'allow' ? 'Allow a package' : 'Deny a package'} onClose={onClose}>
      <form className="form" onSubmit={submit} ref={form}>
        <Select label="Ecosystem" name="ecosystem" defaultValue={ecosystem} choices={ecosystems} />
        <div className="pair">
          <Input
            label="Package"
            name="name"
            required
            defaultValue={name}
            maxLength={400}
            hint="A star at the end matches any rest: @scope/*"
            wrong={create.error?.about('/name')}
          />
          <Input
            label="Version"
            name="version"
            maxLength={200}
            placeholder="every version"
            data-first={name === '' ? undefined : true}
            hint="A version or a range: <4.17.21"
            wrong={create.error?.about('/version')}
          />
        </div>
        <Textarea
          label="Why"
          name="reason"
          required
          maxLength={500}
          hint="Shown to whoever is refused."
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
        {tried && <Tried override={tried} />}
        <div className="actions">
          <Button onClick={attempt}>Try it on the last 30 days</Button>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" why={create.isPending ? 'In progress' : undefined}>
            {effect === 'allow' ? 'Allow' : 'Deny'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** What it would have done. Nothing is saved by trying. */
function Tried({ override }: { override: Body<'createOverride'> }) {
  const asked = useAsk('tryOverrides', { body: { create: [override] } }, { keep: false })
  return (
    <section aria-label="What it would have done">
      <h3>What it would have done</h3>
      <Part of={asked} lines={2}>
        {(trial) => <TrialOutcome trial={trial} />}
      </Part>
    </section>
  )
}

function overrideIn(form: HTMLFormElement, effect: 'allow' | 'deny'): Body<'createOverride'> {
  const fields = new FormData(form)
  const text = (field: string) => String(fields.get(field) ?? '').trim()
  const until = text('until')
  return {
    ecosystem: text('ecosystem'),
    name: text('name'),
    version: text('version'),
    effect,
    reason: text('reason'),
    ...(until && { expiresAt: new Date(until).toISOString() }),
  } as Body<'createOverride'>
}
