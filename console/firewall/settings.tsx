import { type FormEvent, useState } from 'react'
import type { Choices } from '../../src/capabilities/firewall/contract.ts'
import { useAsk, useChange } from '../api/ask.ts'
import type { Body } from '../api/contracts.ts'
import { useMay } from '../app/deployment.ts'
import { Button } from '../ui/button.tsx'
import { Input, Select, Textarea } from '../ui/forms/field.tsx'
import { Table } from '../ui/lists/table.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { say } from '../ui/overlays/toasts.tsx'
import { Card } from '../ui/page.tsx'
import { ErrorBox, Part } from '../ui/states.tsx'
import { settingSentences } from './words.ts'

export function FirewallSettings() {
  const asked = useAsk('getFirewallSettings', {})
  const { why } = useMay('firewall:write')
  const [editing, setEditing] = useState<Choices>()
  return (
    <>
      <Part of={asked}>
        {({ settings }) => (
          <Card title="What happens to a package, by ecosystem">
            <Table
              label="Settings by ecosystem"
              rows={settings}
              keyOf={(each) => each.ecosystem}
              columns={[
                { label: 'Ecosystem', cell: (each) => <strong>{each.ecosystem}</strong> },
                { label: 'What it does to a build', cell: (each) => settingSentences(each).join(' ') },
                {
                  label: 'Actions',
                  quiet: true,
                  end: true,
                  cell: (each) => (
                    <Button why={why} aria-label={`Change ${each.ecosystem}`} onClick={() => setEditing(each)}>
                      Change…
                    </Button>
                  ),
                },
              ]}
            />
          </Card>
        )}
      </Part>
      {editing && <SettingsDialog settings={editing} onClose={() => setEditing(undefined)} />}
    </>
  )
}

const blockOrWarn = [
  { value: 'block', label: 'Refuse it' },
  { value: 'warn', label: 'Let it in with a warning' },
]

function SettingsDialog({ settings, onClose }: { settings: Choices; onClose: () => void }) {
  const put = useChange('putFirewallSettings', ['getFirewallSettings', 'getVerdict'])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => String(form.get(name) ?? '')
    const lines = (name: string) =>
      text(name)
        .split(/[\s,]+/)
        .filter(Boolean)
    const body = {
      ecosystem: settings.ecosystem,
      undetermined: text('undetermined'),
      held: text('held'),
      minimumAgeHours: Number(text('minimumAgeHours')),
      maximumDataAgeHours: Number(text('maximumDataAgeHours')),
      ageExceptions: lines('ageExceptions'),
      mirrorHosts: lines('mirrorHosts'),
    } as Body<'putFirewallSettings'>
    put.mutate(
      { body },
      {
        onSuccess: () => {
          say(`Saved for ${settings.ecosystem}, in force within a second.`)
          onClose()
        },
      },
    )
  }
  return (
    <Dialog title={`Settings for ${settings.ecosystem}`} onClose={onClose}>
      <form className="form" onSubmit={submit}>
        <Select
          label="A package of which nothing can be said"
          name="undetermined"
          defaultValue={settings.undetermined}
          choices={blockOrWarn}
        />
        <Select
          label="A version that an undecided advisory names"
          name="held"
          defaultValue={settings.held}
          choices={blockOrWarn}
        />
        <div className="pair">
          <Input
            label="Hold back versions younger than (hours)"
            name="minimumAgeHours"
            type="number"
            min={0}
            max={8760}
            required
            defaultValue={settings.minimumAgeHours}
            hint="0 holds none back."
          />
          <Input
            label="Advisories may be at most so old (hours)"
            name="maximumDataAgeHours"
            type="number"
            min={0}
            max={8760}
            required
            defaultValue={settings.maximumDataAgeHours}
            hint="0 for no limit."
          />
        </div>
        <Textarea
          label="Packages that may be younger"
          name="ageExceptions"
          defaultValue={settings.ageExceptions.join('\n')}
          hint="One a line; @scope/* for a scope."
          wrong={put.error?.about('/ageExceptions')}
        />
        <Textarea
          label="Hosts that mirror the public registry"
          name="mirrorHosts"
          defaultValue={settings.mirrorHosts.join('\n')}
          hint="One a line."
          wrong={put.error?.about('/mirrorHosts')}
        />
        {put.error && <ErrorBox problem={put.error} />}
        <div className="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary">
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
