import { firstOf, type Pair, withValues } from '../app/address/address.ts'
import { goSearch, usePlace } from '../app/address/location.ts'
import { notUnderstood, periodNames } from '../app/address/understood.ts'
import { LostPairs } from '../ui/forms/lost-pairs.tsx'
import { SearchField } from '../ui/forms/search-field.tsx'

/** What a list is narrowed to, as the address says: a package, a person, and one of its states. */
export function useListFilter<State extends string>(states: readonly State[]) {
  const { pairs } = usePlace()
  const text = firstOf(pairs, 'package')?.slice(0, 400)
  const person = firstOf(pairs, 'person') ?? ''
  const state = states.find((each) => each === firstOf(pairs, 'state'))
  const isPerson = (value: string) => /^[1-9]\d{0,14}$/.test(value)
  const lost = notUnderstood(pairs, { ...periodNames, package: 'anything', person: isPerson, state: states })
  const query = {
    ...(text && { package: text }),
    ...(isPerson(person) && { personId: Number(person) }),
    ...(state && { state }),
  }
  return { query, isNarrow: Object.keys(query).length > 0, pairs, lost, state, person }
}

type Props = {
  pairs: readonly Pair[]
  lost: readonly Pair[]
  state: string | undefined
  person: string
  states: Record<string, string>
}

export function ListFilter({ pairs, lost, state, person, states }: Props) {
  const choose = (value: string | undefined) => goSearch(withValues(pairs, 'state', value ? [value] : []))
  return (
    <div className="row">
      <SearchField label="Package" name="package" pairs={pairs} />
      <fieldset className="segments">
        <legend className="visually-hidden">State</legend>
        <button type="button" aria-pressed={state === undefined} onClick={() => choose(undefined)}>
          All
        </button>
        {Object.entries(states).map(([value, label]) => (
          <button key={value} type="button" aria-pressed={state === value} onClick={() => choose(value)}>
            {label}
          </button>
        ))}
      </fieldset>
      {person && (
        <button type="button" className="chip" onClick={() => goSearch(withValues(pairs, 'person', []))}>
          <span className="value">of one person: show everybody’s</span>
        </button>
      )}
      <LostPairs lost={lost} />
    </div>
  )
}
