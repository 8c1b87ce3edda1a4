import { type FormEvent, useId, useState } from 'react'
import { useAsk } from '../api/ask.ts'
import type { Query } from '../api/contracts.ts'
import type { Problem } from '../api/problem.ts'
import { withValues } from '../app/address/address.ts'
import { goSearch } from '../app/address/location.ts'
import { useSettled } from '../app/keyboard/palette-hits.ts'
import { Button } from '../ui/button.tsx'
import { Check, Input, Select, Textarea } from '../ui/forms/field.tsx'
import { inventoryEcosystems, type Question, writeQuestion } from './question.ts'

/** The question as one line. Names are completed from what is in use. `problem`: what is wrong with it, if anything. */
export function QuestionForm({ question, problem }: { question: Question; problem: Problem | null }) {
  const [several, setSeveral] = useState(question.packages.length > 0)
  const [typed, setTyped] = useState('')
  const names = useNames(typed, question.ecosystem)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => String(form.get(name) ?? '').trim()
    const packages = text('packages')
      .split(/[\s,]+/)
      .filter(Boolean)
      .slice(0, 200)
    const next: Question = {
      ...question,
      ecosystem: text('ecosystem'),
      name: text('name'),
      exact: form.get('exact') === 'on' || !text('name'),
      from: text('from'),
      below: text('below'),
      transitivity: text('brought'),
      archived: form.get('archived') === 'on',
      vulnerable: form.get('vulnerable') === 'on',
      packages,
    }
    // Another question starts with its own view.
    const pairs = writeQuestion(next)
    const isSame = (['name', 'exact', 'vulnerable'] as const).every((part) => next[part] === question[part])
    goSearch(isSame ? pairs : withValues(pairs, 'view', []))
  }
  return (
    <form className="question" onSubmit={submit}>
      <Select
        label="Ecosystem"
        name="ecosystem"
        defaultValue={question.ecosystem}
        choices={[{ value: '', label: 'any' }, ...inventoryEcosystems]}
      />
      <Input
        label="Package"
        name="name"
        defaultValue={question.name}
        className="mono"
        placeholder="lodash"
        maxLength={400}
        list={names.id}
        autoComplete="off"
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      <datalist id={names.id}>
        {names.found.map((each) => (
          <option key={`${each.ecosystem} ${each.name}`} value={each.name}>
            {each.ecosystem}
          </option>
        ))}
      </datalist>
      <Input
        label="From version"
        name="from"
        defaultValue={question.from}
        wrong={problem?.about('/versionLowerBound')}
        className="mono version"
        placeholder="any"
        maxLength={100}
      />
      <Input
        label="Below version"
        name="below"
        defaultValue={question.below}
        wrong={problem?.about('/versionUpperBound')}
        className="mono version"
        placeholder="any"
        maxLength={100}
      />
      <Select
        label="Brought in"
        name="brought"
        defaultValue={question.transitivity}
        choices={[
          { value: '', label: 'either way' },
          { value: 'direct', label: 'directly' },
          { value: 'transitive', label: 'transitively' },
          { value: 'unknown', label: 'not told' },
        ]}
      />
      <span className="row tight">
        <Check label="exactly this name" name="exact" defaultChecked={question.exact} />
        <Check label="vulnerable only" name="vulnerable" defaultChecked={question.vulnerable} />
        <Check label="archived too" name="archived" defaultChecked={question.archived} />
      </span>
      {several && (
        <Textarea
          label="Several, one a line"
          name="packages"
          defaultValue={question.packages.join('\n')}
          placeholder="lodash@4.17.20"
          rows={2}
        />
      )}
      <Button type="submit" look="primary">
        Find
      </Button>
      {!several && (
        <Button look="plain" onClick={() => setSeveral(true)}>
          Several…
        </Button>
      )}
    </form>
  )
}

function useNames(typed: string, ecosystem: string) {
  const id = useId()
  const text = useSettled(typed.trim())
  const query = { text, ...(ecosystem && { ecosystem }) } as Query<'completePackageNames'>
  const { data } = useAsk('completePackageNames', { query }, { enabled: text.length > 1 })
  return { id, found: text.length > 1 ? (data?.names ?? []) : [] }
}
