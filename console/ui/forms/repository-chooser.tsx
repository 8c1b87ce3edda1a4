import { useState } from 'react'
import { useAsk } from '../../api/ask.ts'
import { useSettled } from '../../app/keyboard/palette-hits.ts'
import { Chooser } from './chooser.tsx'

type Props = {
  label: string
  chosen: readonly string[]
  onChoose: (values: string[]) => void
  /** Whether it is about ids or about names. */
  by: 'id' | 'name'
  many?: boolean
  empty?: string
}

/** Repositories by name, completed by the server. */
export function RepositoryChooser({ label, chosen, onChoose, by, many, empty = 'Any repository' }: Props) {
  const [typed, setTyped] = useState('')
  const name = useSettled(typed)
  const { data, isFetching } = useAsk('listRepositories', { query: { pageSize: 50, ...(name && { name }) } })
  const options = (data?.repositories ?? []).map((each) => ({
    value: by === 'id' ? String(each.id) : each.name,
    label: each.name,
  }))
  const known = new Set(options.map((option) => option.value))
  const unnamed = useRepositoryNames(by === 'id' ? chosen.filter((value) => !known.has(value)) : [])
  return (
    <Chooser
      label={label}
      options={options}
      names={unnamed}
      chosen={chosen}
      onChoose={onChoose}
      many={many ?? false}
      empty={empty}
      busy={isFetching || name !== typed}
      onType={setTyped}
    />
  )
}

/** Names of repositories by their ids, with one request. Until one is known, and where it is not visible, the id. */
export function useRepositoryNames(ids: readonly string[]): Record<string, string> {
  const wanted = ids.map(Number).toSorted((a, b) => a - b)
  const { data } = useAsk(
    'searchRepositories',
    { body: { filter: { ids: wanted }, pageSize: 100 } },
    { enabled: wanted.length > 0, keep: false, staleTime: 300_000 },
  )
  const names = new Map(data?.repositories.map((each) => [String(each.id), each.name]))
  return Object.fromEntries(ids.map((id) => [id, names.get(id) ?? `repository ${id}`]))
}
