import type { ConditionType } from '../../src/capabilities/automations/rules/condition-types.ts'
import type { Condition, Filters, Mode } from '../../src/capabilities/automations/rules/evaluate.ts'
import { useTags } from '../api/ask.ts'
import { Button } from '../ui/button.tsx'
import { Chooser } from '../ui/forms/chooser.tsx'
import { RepositoryChooser } from '../ui/forms/repository-chooser.tsx'
import { Icon } from '../ui/icons.tsx'
import { conditions, modeWords, valueWord } from './words.ts'

type Props = { filters: Filters; onChange: (filters: Filters) => void; about: (pointer: string) => string | undefined }

/** The middle of the sentence: what has to hold. */
export function ConditionsEditor({ filters, onChange, about }: Props) {
  const set = (at: number, condition: Condition) =>
    onChange({ ...filters, conditions: filters.conditions.map((each, index) => (index === at ? condition : each)) })
  const used = filters.conditions.map((each) => each.type)
  const next = (Object.keys(conditions) as ConditionType[]).find((type) => !used.includes(type))
  return (
    <div className="stack">
      {filters.conditions.length > 1 && (
        <div className="part">
          <ModeChoice
            label="How many conditions have to hold"
            mode={filters.mode}
            onChange={(mode) => onChange({ ...filters, mode })}
          />
          <span className="muted">these hold:</span>
        </div>
      )}
      {filters.conditions.map((condition, at) => (
        <div key={`${condition.type} ${used.indexOf(condition.type) === at ? 0 : at}`} className="stack tight">
          <div className="part">
            <select
              className="input"
              aria-label={`Condition ${at + 1}`}
              value={condition.type}
              onChange={(event) => set(at, { type: event.target.value as ConditionType, mode: 'MODE_ANY', values: [] })}
            >
              {(Object.keys(conditions) as ConditionType[]).map((type) => (
                <option key={type} value={type}>
                  {conditions[type].label}
                </option>
              ))}
            </select>
            <span className="muted">is</span>
            <ModeChoice
              label={`How condition ${at + 1} is meant`}
              mode={condition.mode}
              onChange={(mode) => set(at, { ...condition, mode })}
            />
            <Values condition={condition} at={at} onChange={(values) => set(at, { ...condition, values })} />
            <Button
              look="icon"
              aria-label={`Take condition ${at + 1} out`}
              onClick={() =>
                onChange({ ...filters, conditions: filters.conditions.filter((_, index) => index !== at) })
              }
            >
              <Icon name="close" />
            </Button>
          </div>
          {condition.values.length === 0 && <span className="small muted">Choose a value, or it is left out.</span>}
          {about(`/conditions/${at}`) && <span className="wrong small">{about(`/conditions/${at}`)}</span>}
        </div>
      ))}
      {filters.conditions.length === 0 && <span className="muted">always: it is about everything</span>}
      <div>
        <Button
          onClick={() =>
            onChange({
              ...filters,
              conditions: [
                ...filters.conditions,
                { type: next ?? 'CONDITION_TYPE_PATH', mode: 'MODE_ANY', values: [] },
              ],
            })
          }
        >
          <Icon name="plus" size={12} /> Condition
        </Button>
      </div>
    </div>
  )
}

function ModeChoice({ label, mode, onChange }: { label: string; mode: Mode; onChange: (mode: Mode) => void }) {
  return (
    <select
      className="input"
      aria-label={label}
      value={mode}
      onChange={(event) => onChange(event.target.value as Mode)}
    >
      {(Object.keys(modeWords) as Mode[]).map((each) => (
        <option key={each} value={each}>
          {modeWords[each]}
        </option>
      ))}
    </select>
  )
}

function Values({
  condition,
  at,
  onChange,
}: {
  condition: Condition
  at: number
  onChange: (values: string[]) => void
}) {
  const { source, values, hint, label } = conditions[condition.type]
  const name = `Values of condition ${at + 1}, ${label}`
  if (source === 'repositories')
    return (
      <RepositoryChooser
        label={name}
        by="id"
        many
        chosen={condition.values}
        onChoose={onChange}
        empty="Choose repositories"
      />
    )
  if (source === 'tags') return <Tags label={name} chosen={condition.values} onChange={onChange} />
  const options = values?.map((value) => ({ value, label: valueWord(value) })) ?? []
  return (
    <Chooser
      label={name}
      options={options}
      chosen={condition.values}
      onChoose={onChange}
      many
      free={values === undefined}
      empty={hint ?? 'Choose values'}
    />
  )
}

function Tags({
  label,
  chosen,
  onChange,
}: {
  label: string
  chosen: readonly string[]
  onChange: (values: string[]) => void
}) {
  const { tags, isFetching } = useTags()
  const options = tags.map((tag) => ({ value: tag.name, label: tag.name, count: tag.repositoryCount }))
  return (
    <Chooser
      label={label}
      options={options}
      chosen={chosen}
      onChoose={onChange}
      many
      free
      busy={isFetching}
      empty="Choose tags"
    />
  )
}
