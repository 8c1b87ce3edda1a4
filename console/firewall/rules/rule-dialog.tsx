import { type FormEvent, useState } from 'react'
import type { NewRule } from '../../../src/capabilities/firewall/rules/api/rule-contract.ts'
import { type SignalName, signalNames } from '../../../src/capabilities/firewall/rules/release-facts.ts'
import {
  type ConditionKind,
  canHonour,
  type RuleEffect,
  ruleEcosystems,
  usualHoldHours,
} from '../../../src/capabilities/firewall/rules/rule.ts'
import { Button } from '../../ui/button.tsx'
import { Check, Input, Select, Textarea } from '../../ui/forms/field.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { type DraftRule, newDraft } from './rule-draft.ts'
import { conditionWords, effectWords, severityWords, signalWords } from './rule-words.ts'

const choicesOf = (words: Record<string, string>) => Object.entries(words).map(([value, label]) => ({ value, label }))

type Props = { rule?: DraftRule; onKeep: (rule: DraftRule) => void; onClose: () => void }

/** One rule of the list. It is kept on screen; the list is saved as a whole. */
export function RuleDialog({ rule, onKeep, onClose }: Props) {
  const [condition, setCondition] = useState<ConditionKind>(rule?.condition ?? 'release_signal')
  const [effect, setEffect] = useState<RuleEffect>(rule?.effect ?? 'hold')
  const refuses = effect === 'hold' || effect === 'refuse'
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const read = readRule(new FormData(event.currentTarget), condition, effect)
    onKeep({ ...newDraft(read), ...(rule && { id: rule.id, key: rule.key }) })
  }
  return (
    <Dialog title={rule ? 'Change a rule' : 'Add a rule'} onClose={onClose} wide>
      <form className="form" onSubmit={submit}>
        <div className="pair">
          <Select
            label="What it does"
            value={effect}
            choices={choicesOf(effectWords)}
            onChange={(event) => setEffect(event.target.value as RuleEffect)}
          />
          <Select
            label="When"
            value={condition}
            choices={choicesOf(conditionWords)}
            onChange={(event) => setCondition(event.target.value as ConditionKind)}
          />
        </div>
        <fieldset className="row">
          <legend className="legend">Ecosystems</legend>
          {ruleEcosystems
            .filter((ecosystem) => canHonour(ecosystem, condition))
            .map((ecosystem) => (
              <Check
                key={`${condition} ${ecosystem}`}
                label={ecosystem}
                name="ecosystems"
                value={ecosystem}
                defaultChecked={rule ? rule.ecosystems.includes(ecosystem) : true}
              />
            ))}
        </fieldset>
        <ConditionFields condition={condition} {...(rule && { rule })} />
        {effect === 'hold' && condition !== 'younger_than' && (
          <Input
            label="Hold it until it is so old (hours)"
            name="holdHours"
            type="number"
            min={1}
            max={8760}
            required
            defaultValue={rule?.holdHours ?? usualHoldHours}
          />
        )}
        <Textarea
          label="Packages"
          name="names"
          defaultValue={rule?.names.join('\n') ?? ''}
          hint="One a line, @scope/* for a scope. Empty: every package."
        />
        {refuses && (
          <Check
            label="Leave versions alone that you have already, so that builds with lockfiles go on"
            name="spareInUse"
            defaultChecked={rule ? rule.spareInUse === true : true}
          />
        )}
        {refuses && (
          <Check
            label="Only watch: refuse nothing, and note what would have been refused"
            name="monitor"
            defaultChecked={rule?.mode === 'monitor'}
          />
        )}
        <Input
          label="Note"
          name="note"
          maxLength={500}
          defaultValue={rule?.note ?? ''}
          hint="Shown to whoever is refused: why, and what to do."
        />
        <div className="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary">
            {rule ? 'Change the rule' : 'Add the rule'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function ConditionFields({ condition, rule }: { condition: ConditionKind; rule?: DraftRule }) {
  switch (condition) {
    case 'younger_than':
      return (
        <Input
          label="Younger than (hours)"
          name="hours"
          type="number"
          min={1}
          max={8760}
          required
          defaultValue={rule?.hours ?? 24}
        />
      )
    case 'release_signal':
      return (
        <fieldset className="stack tight">
          <legend className="legend">The release</legend>
          {signalNames.map((signal) => (
            <Check
              key={signal}
              label={signalWords[signal]}
              name="signals"
              value={signal}
              defaultChecked={rule?.signals?.includes(signal) ?? false}
            />
          ))}
        </fieldset>
      )
    case 'vulnerability':
      return (
        <>
          <Select
            label="Severity"
            name="severity"
            defaultValue={rule?.severity ?? 'high'}
            choices={choicesOf(severityWords)}
          />
          <Check
            label="Only where a fixed version is known"
            name="fixAvailable"
            defaultChecked={rule?.fixAvailable ?? false}
          />
          <Check
            label="Only where it is known to be exploited"
            name="exploited"
            defaultChecked={rule?.exploited ?? false}
          />
        </>
      )
    case 'licence':
      return (
        <>
          <Select
            label="Its licence is"
            name="licencesAre"
            defaultValue={rule?.licencesAre ?? 'listed'}
            choices={[
              { value: 'listed', label: 'one of these' },
              { value: 'not_listed', label: 'none of these' },
            ]}
          />
          <Textarea
            label="Licences"
            name="licences"
            required
            defaultValue={rule?.licences?.join('\n') ?? ''}
            hint="SPDX identifiers, one a line: GPL-3.0-only"
          />
        </>
      )
    default:
      return null
  }
}

function readRule(form: FormData, condition: ConditionKind, effect: RuleEffect): NewRule {
  const text = (name: string) => String(form.get(name) ?? '').trim()
  const lines = (name: string) =>
    text(name)
      .split(/[\s,]+/)
      .filter(Boolean)
  const given = <Value,>(name: string, value: Value) => (form.has(name) ? { [name]: value } : {})
  return {
    ecosystems: form.getAll('ecosystems').map(String) as NewRule['ecosystems'],
    names: lines('names'),
    condition,
    ...given('hours', Number(text('hours'))),
    ...given('signals', form.getAll('signals').map(String) as SignalName[]),
    ...given('severity', text('severity')),
    ...given('fixAvailable', true),
    ...given('exploited', true),
    ...given('licences', lines('licences')),
    ...given('licencesAre', text('licencesAre')),
    effect,
    ...given('holdHours', Number(text('holdHours'))),
    ...given('spareInUse', true),
    mode: form.has('monitor') ? 'monitor' : 'enforce',
    note: text('note'),
  }
}
