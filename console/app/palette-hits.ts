import { useEffect, useState } from 'react'
import { useAsk } from '../api/ask.ts'
import { pathPart } from './address.ts'
import { groups } from './routes.ts'

export type Hit = { label: string; path: string; aside?: string }
export type HitGroup = { label: string; hits: Hit[] }

const places = groups.flatMap((group) => group.places)

/** What the words lead to. Pages at once, the rest as the server answers. */
export function usePaletteHits(text: string): { groups: HitGroup[]; busy: boolean } {
  const words = useSettled(text)
  const enabled = words.length >= 2
  const repositories = useAsk('listRepositories', { query: { name: words, pageSize: 5 } }, { enabled })
  const wanted = text.toLowerCase()
  const found: HitGroup[] = [
    {
      label: 'Pages',
      hits: places
        .filter((place) => place.label.toLowerCase().includes(wanted))
        .map((place) => ({ label: place.label, path: place.path, aside: `g ${place.key}` })),
    },
    {
      label: 'Repositories',
      hits: enabled
        ? (repositories.data?.repositories ?? []).map((each) => ({ label: each.name, path: `repositories/${each.id}` }))
        : [],
    },
    {
      label: 'Findings',
      hits: enabled ? [{ label: `Findings with “${words}”`, path: `findings?text=${pathPart(words)}` }] : [],
    },
  ]
  return { groups: found.filter((group) => group.hits.length > 0), busy: enabled && repositories.isFetching }
}

/** What is typed, once nobody has typed for a moment. */
export function useSettled(text: string, ms = 120): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), ms)
    return () => clearTimeout(timer)
  }, [text, ms])
  return settled
}
