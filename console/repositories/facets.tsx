import type { ReactNode } from 'react'
import { useAllTeams, useTags } from '../api/ask.ts'
import type { Field } from '../app/address/filter.ts'
import type { Facet, FacetSource } from '../ui/forms/filter-bar.tsx'

type Props = { field: Field; children: (facet: Facet) => ReactNode }

/** The choices of a field. */
export const repositoryFacets: FacetSource = (field, _typed, children) => {
  const Source = field.key === 'team' ? Teams : field.key === 'tag' ? Tags : YesOrNo
  return <Source field={field}>{children}</Source>
}

function Teams({ children }: Props) {
  const { teams, isFetching } = useAllTeams()
  const options = teams.map(({ slug, name }) => ({ value: slug, label: name }))
  return children({ options, busy: isFetching })
}

function Tags({ children }: Props) {
  const { tags, isFetching } = useTags()
  return children({ options: tags.map(({ name }) => ({ value: name, label: name })), busy: isFetching })
}

function YesOrNo({ children }: Props) {
  const options = [
    { value: 'yes', label: 'Yes' },
    { value: 'no', label: 'No' },
  ]
  return children({ options, busy: false })
}
