import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { useAsk } from '../../api/ask.ts'
import { call } from '../../api/call.ts'
import { useDeployment } from '../../app/deployment.ts'
import { useSettled } from '../../app/keyboard/palette-hits.ts'
import { Foreign } from '../text/foreign.tsx'
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

/** Names of repositories by their ids. */
export function useRepositoryNames(ids: readonly string[]): Record<string, string> {
  const { id: deploymentId } = useDeployment()
  const answers = useQueries({
    queries: ids.map((id) => {
      const params = { deploymentId, repositoryId: Number(id) }
      return {
        queryKey: ['getRepository', { params }],
        queryFn: () => call('getRepository', { params }),
        staleTime: 300_000,
      }
    }),
  })
  return Object.fromEntries(ids.map((id, at) => [id, answers[at]?.data?.repository.name ?? `repository ${id}`]))
}

/** The name behind an id. Until it is known, and where it is not visible, the id. */
export function RepositoryName({ id }: { id: string }) {
  const known = id !== '' && id !== '0'
  const { data } = useAsk(
    'getRepository',
    { params: { repositoryId: Number(id) } },
    { enabled: known, keep: false, staleTime: 300_000 },
  )
  if (!known) return <span className="muted">none</span>
  return data ? <Foreign text={data.repository.name} /> : <span className="muted">repository {id}</span>
}
