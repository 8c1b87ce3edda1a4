import { useState } from 'react'
import type { Choices } from '../../src/capabilities/firewall/contract.ts'
import { useAsk, useChange, useFresh, useTagged } from '../api/ask.ts'
import type { Body } from '../api/contracts.ts'
import { useMay } from '../app/deployment.ts'
import { Button } from '../ui/button.tsx'
import { Input, Select, Textarea } from '../ui/forms/field.tsx'
import { Table } from '../ui/lists/table.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { say } from '../ui/overlays/toasts.tsx'
import { Card } from '../ui/page.tsx'
import { type Current, differencesOf, Stale } from '../ui/stale.tsx'
import { ErrorBox, Part } from '../ui/states.tsx'
import { SettingsTrial } from './settings-trial.tsx'
import { settingSentences } from './words.ts'

export function FirewallSettings() {
  const asked = useAsk('getFirewallSettings', {})
  const { why } = useMay('firewall:write')
  const [editing, setEditing] = useState<Choices['ecosystem']>()
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
                    <Button
                      why={why}
                      aria-label={`Change ${each.ecosystem}`}
                      onClick={() => setEditing(each.ecosystem)}
                    >
                      Change…
                    </Button>
                  ),
                },
              ]}
            />
          </Card>
        )}
      </Part>
      {editing && <SettingsDialog ecosystem={editing} onClose={() => setEditing(undefined)} />}
    </>
  )
}

const blockOrWarn = [
  { value: 'block', label: 'Refuse it' },
  { value: 'warn', label: 'Let it in with a warning' },
]

type Draft = Body<'putFirewallSettings'>

function SettingsDialog({ ecosystem, onClose }: { ecosystem: Choices['ecosystem']; onClose: () => void }) {
  const asked = useTagged('getEcosystemSettings', { params: { ecosystem } })
  return (
    <Dialog title={`Settings for ${ecosystem}`} onClose={onClose} wide>
      <Part of={asked} lines={6}>
        {({ data, etag }) => <SettingsForm settings={data} etag={etag} onClose={onClose} />}
      </Part>
    </Dialog>
  )
}

/** It goes on from the version that it began with, whatever is read again meanwhile. */
function SettingsForm(props: { settings: Choices; etag: string | undefined; onClose: () => void }) {
  const { onClose } = props
  const [settings] = useState(props.settings)
  const [etag] = useState(props.etag)
  const [draft, setDraft] = useState<Draft>(settings)
  const [conflict, setConflict] = useState<Current>()
  const fresh = useFresh('getEcosystemSettings')
  const put = useChange('putFirewallSettings', ['getFirewallSettings', 'getEcosystemSettings', 'getVerdict'])
  const save = (ifMatch: string | undefined) =>
    put.mutate(
      { body: draft, ifMatch },
      {
        onSuccess: () => {
          say(`Saved for ${settings.ecosystem}, in force within a second.`, 'no undo')
          onClose()
        },
        onError: async (problem) => {
          if (problem.status !== 412) return
          const { data, etag: now } = await fresh({ params: { ecosystem: settings.ecosystem } })
          setConflict({ etag: now, fields: fieldsOf(data) })
        },
      },
    )
  const mine = new Map(fieldsOf({ ...settings, ...draft }).map(({ name, value }) => [name, value]))
  return (
    <form
      className="form"
      onChange={(event) => setDraft(draftOf(settings.ecosystem, new FormData(event.currentTarget)))}
      onSubmit={(event) => {
        event.preventDefault()
        save(etag)
      }}
    >
      <Select
        label="A package about which nothing is known"
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
          hint="0 means no minimum age."
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
        hint="One a line; @scope/* for a scope. Name your own packages too: many private registries do not say how old a version is, and what is of unknown age is refused."
        wrong={put.error?.about('/ageExceptions')}
      />
      <Textarea
        label="Hosts that mirror the public registry"
        name="mirrorHosts"
        defaultValue={settings.mirrorHosts.join('\n')}
        hint="One a line."
        wrong={put.error?.about('/mirrorHosts')}
      />
      <SettingsTrial draft={draft} />
      {put.error && !conflict && put.error.status !== 412 && <ErrorBox problem={put.error} />}
      {conflict && (
        <Stale
          differences={differencesOf(conflict, (name) => mine.get(name) ?? '')}
          onTheirs={onClose}
          onMine={() => save(conflict.etag)}
        />
      )}
      <div className="actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" why={put.isPending ? 'Being saved' : undefined}>
          Save
        </Button>
      </div>
    </form>
  )
}

function draftOf(ecosystem: Choices['ecosystem'], form: FormData): Draft {
  const text = (name: string) => String(form.get(name) ?? '')
  const lines = (name: string) =>
    text(name)
      .split(/[\s,]+/)
      .filter(Boolean)
  return {
    ecosystem,
    undetermined: text('undetermined'),
    held: text('held'),
    minimumAgeHours: Number(text('minimumAgeHours')),
    maximumDataAgeHours: Number(text('maximumDataAgeHours')),
    ageExceptions: lines('ageExceptions'),
    mirrorHosts: lines('mirrorHosts'),
  } as Draft
}

function fieldsOf(settings: Choices): Current['fields'] {
  const choice = (value: string) => blockOrWarn.find((each) => each.value === value)?.label ?? value
  return [
    { name: 'undetermined', label: 'Nothing can be said', value: choice(settings.undetermined) },
    { name: 'held', label: 'Undecided advisory', value: choice(settings.held) },
    { name: 'minimumAgeHours', label: 'Hold back (hours)', value: String(settings.minimumAgeHours) },
    { name: 'maximumDataAgeHours', label: 'Age of advisories (hours)', value: String(settings.maximumDataAgeHours) },
    { name: 'ageExceptions', label: 'May be younger', value: settings.ageExceptions.join(', ') },
    { name: 'mirrorHosts', label: 'Mirrors', value: settings.mirrorHosts.join(', ') },
  ]
}
