import { type ReactNode, useCallback, useRef, useState } from 'react'
import { type Pair, parseSearch, valuesOf, withValues } from '../../app/address/address.ts'
import type { Field } from '../../app/address/filter.ts'
import { goSearch } from '../../app/address/location.ts'
import { Icon } from '../icons.tsx'
import { Popover } from '../overlays/popover.tsx'
import { plainly } from '../text/foreign-text.ts'
import { LostPairs } from './lost-pairs.tsx'
import { type Option, Options } from './options.tsx'

export type Facet = { options: readonly Option[]; busy: boolean }
/** Draws the choices of a field, with how many each would leave. */
export type FacetSource = (field: Field, typed: string, children: (facet: Facet) => ReactNode) => ReactNode

/** What a value is called that stands in the address by a number. */
export type NameOf = (field: Field, value: string) => string | undefined

type Props = {
  fields: readonly Field[]
  pairs: readonly Pair[]
  lost: readonly Pair[]
  facet: FacetSource
  nameOf?: NameOf
  children?: ReactNode
}

const current = (): Pair[] => parseSearch(location.search)

/** The filters of a list, each of them in the address. */
export function FilterBar({ fields, pairs, lost, facet, nameOf, children }: Props) {
  const [adding, setAdding] = useState<string>()
  const shown = fields.filter((field) => field.pinned || valuesOf(pairs, field.key).length > 0 || field.key === adding)
  const rest = fields.filter((field) => !shown.includes(field))
  return (
    <fieldset className="filters">
      <legend className="visually-hidden">Filters</legend>
      {children}
      {shown.map((field) => (
        <Chip
          key={field.key}
          field={field}
          pairs={pairs}
          facet={facet}
          nameOf={nameOf}
          opened={field.key === adding}
          onClose={() => setAdding(undefined)}
        />
      ))}
      {rest.length > 0 && <AddFilter fields={rest} onAdd={setAdding} />}
      <LostPairs lost={lost} />
    </fieldset>
  )
}

function Chip({
  field,
  pairs,
  facet,
  nameOf,
  opened,
  onClose,
}: {
  field: Field
  pairs: readonly Pair[]
  facet: FacetSource
  nameOf: NameOf | undefined
  opened: boolean
  onClose: () => void
}) {
  const [button, setButton] = useState<HTMLButtonElement | null>(null)
  const [open, setOpen] = useState(opened)
  const values = valuesOf(pairs, field.key)
  const close = useCallback(() => {
    setOpen(false)
    onClose()
  }, [onClose])
  // Back leads to the list as it was before the filter was opened, however many of its values were tried.
  const begun = useRef(false)
  const set = (next: readonly string[]) => {
    goSearch(withValues(current(), field.key, next), { replace: open && begun.current })
    begun.current = open
  }
  const start = () => {
    begun.current = false
    setOpen(true)
  }
  return (
    <span className="chip-pair">
      <button
        ref={setButton}
        type="button"
        className={values.length > 0 ? 'chip on' : 'chip'}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => (open ? close() : start())}
      >
        <span className="value">{chipLabel(field, values, nameOf)}</span>
        {values.length === 0 && <Icon name="down" size={12} />}
      </button>
      {values.length > 0 && (
        <button type="button" className="chip on off" aria-label={`Clear ${field.label}`} onClick={() => set([])}>
          <Icon name="close" size={12} />
        </button>
      )}
      {open && button && (
        <Popover anchor={button} onClose={close} label={field.label}>
          <ChipEditor field={field} values={values} facet={facet} onChange={set} onDone={close} />
        </Popover>
      )}
    </span>
  )
}

function chipLabel(field: Field, values: readonly string[], nameOf: NameOf | undefined): string {
  const named = values.map(
    (value) =>
      ('values' in field && field.values.find((each) => each.word === value)?.label) ||
      nameOf?.(field, value) ||
      value ||
      ('blank' in field && field.blank) ||
      '',
  )
  if (values.length > 0) return `${field.label}: ${plainly(named.join(', '))}`
  if (field.kind === 'words' && field.fallback) {
    const words = field.fallback.map((word) => field.values.find((value) => value.word === word)!.label)
    return `${field.label}: ${words.join(', ')}`
  }
  return field.label
}

type EditorProps = {
  field: Field
  values: readonly string[]
  facet: FacetSource
  onChange: (next: string[]) => void
  onDone: () => void
}

function ChipEditor({ field, values, facet, onChange, onDone }: EditorProps) {
  const [typed, setTyped] = useState('')
  if (['text', 'number', 'period', 'moment', 'package'].includes(field.kind)) {
    return <TypedValue field={field} value={values[0] ?? ''} onChange={onChange} onDone={onDone} />
  }
  const single = field.kind === 'choice' || field.kind === 'flag'
  const effective = values.length === 0 && field.kind === 'words' && field.fallback ? field.fallback : values
  const toggle = (value: string) => {
    if (single) {
      onChange(values.includes(value) ? [] : [value])
      onDone()
    } else if (effective.includes(value))
      onChange(
        settle(
          field,
          effective.filter((each) => each !== value),
        ),
      )
    else onChange(settle(field, [...effective.filter((each) => each !== 'any'), value]))
  }
  return facet(field, typed, ({ options, busy }) => (
    <Options
      label={field.label}
      options={options}
      chosen={effective}
      onToggle={toggle}
      free={field.kind === 'texts'}
      busy={busy}
      {...(field.kind === 'texts' && { onType: setTyped })}
    />
  ))
}

/** The default is written as nothing, and nothing chosen of a field with a default as all of it. */
function settle(field: Field, words: readonly string[]): string[] {
  if (field.kind !== 'words' || !field.fallback) return [...words]
  if (words.length === 0) return ['any']
  const isDefault = words.length === field.fallback.length && words.every((word) => field.fallback!.includes(word))
  return isDefault ? [] : [...words]
}

function TypedValue({
  field,
  value,
  onChange,
  onDone,
}: {
  field: Field
  value: string
  onChange: (next: string[]) => void
  onDone: () => void
}) {
  const [since = '', until = ''] = field.kind === 'period' ? value.split('..') : []
  return (
    <form
      className="inside"
      onSubmit={(event) => {
        event.preventDefault()
        const form = new FormData(event.currentTarget)
        const text = (name: string) => String(form.get(name) ?? '').trim()
        const next = field.kind === 'period' ? `${text('since')}..${text('until')}` : text('value')
        onChange(next === '' || next === '..' ? [] : [next])
        onDone()
      }}
    >
      {field.kind === 'period' ? (
        <div className="row">
          <label className="field">
            <span className="label">From</span>
            <input className="input" type="date" name="since" defaultValue={since.slice(0, 10)} />
          </label>
          <label className="field">
            <span className="label">Before</span>
            <input className="input" type="date" name="until" defaultValue={until.slice(0, 10)} />
          </label>
          <span className="small muted">Whole days, in UTC.</span>
        </div>
      ) : (
        <label className="field">
          <span className="label">{field.label}</span>
          <input
            className="input"
            name="value"
            // biome-ignore lint/a11y/noAutofocus: it was opened to type into it
            autoFocus
            defaultValue={value}
            inputMode={field.kind === 'number' ? 'numeric' : 'text'}
          />
        </label>
      )}
      <button type="submit" className="button primary">
        Apply
      </button>
    </form>
  )
}

function AddFilter({ fields, onAdd }: { fields: readonly Field[]; onAdd: (key: string) => void }) {
  const [button, setButton] = useState<HTMLButtonElement | null>(null)
  const [open, setOpen] = useState(false)
  const close = useCallback(() => setOpen(false), [])
  return (
    <span>
      <button
        ref={setButton}
        type="button"
        className="chip add"
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <Icon name="plus" size={12} /> Filter
      </button>
      {open && button && (
        <Popover anchor={button} onClose={close} label="Add a filter">
          <Options
            label="Filters"
            options={fields.map((field) => ({ value: field.key, label: field.label }))}
            chosen={[]}
            onToggle={(key) => {
              close()
              onAdd(key)
            }}
          />
        </Popover>
      )}
    </span>
  )
}
