import { useEffect, useState } from 'react'
import type { SearchGroup, SearchHit, SearchKind } from '../../../src/capabilities/search/contract.ts'
import { useAsk } from '../../api/ask.ts'
import { pathPart } from '../address/address.ts'
import { addressOf, groups } from '../routes.ts'

export type Hit = { label: string; path: string; aside?: string }
export type HitGroup = { label: string; hits: Hit[] }

const places = groups.flatMap((group) => group.places)

const labels: Record<SearchKind, string> = {
  repositories: 'Repositories',
  packages: 'Packages',
  vulnerabilities: 'Vulnerabilities',
  findings: 'Findings',
  rules: 'Rules',
  people: 'People',
}

const pathOf: Record<SearchKind, (hit: SearchHit) => string> = {
  repositories: ({ id }) => `repositories/${pathPart(id)}`,
  packages: ({ id }) => `packages/${id.split('/').map(pathPart).join('/')}`,
  vulnerabilities: ({ id }) => `vulnerabilities/${pathPart(id)}`,
  findings: ({ id }) => `findings/${pathPart(id)}?state=any`,
  rules: ({ id }) => `findings?rule=${encodeURIComponent(id)}`,
  people: ({ detail: email }) => `settings/people?q=${encodeURIComponent(email)}`,
}

/** What the words lead to. Pages at once, the rest as the server answers; what is late is waited for longer. */
export function usePaletteHits(text: string): { groups: HitGroup[]; busy: boolean; firstIsSure: boolean } {
  const words = useSettled(text)
  const enabled = words.length >= 2
  const quick = useAsk('search', { query: { q: words } }, { enabled })
  const late = (quick.data?.late.length ?? 0) > 0 && !quick.isPlaceholderData
  const slow = useAsk('search', { query: { q: words, withinMs: 3_000 } }, { enabled: enabled && late, keep: false })
  const wanted = text.toLowerCase()
  const found: HitGroup[] = [
    {
      label: 'Pages',
      hits: places
        .filter((place) => place.label.toLowerCase().includes(wanted))
        .map((place) => ({ label: place.label, path: addressOf(place), aside: `g ${place.key}` })),
    },
    ...(enabled ? ((late && slow.data?.groups) || quick.data?.groups || []).map(toGroup) : []),
  ]
  if (enabled)
    found.push({
      label: 'Search',
      hits: [{ label: `Findings with “${words}”`, path: `findings?text=${pathPart(words)}` }],
    })
  const busy = text.length >= 2 && (words !== text || quick.isFetching || (late && slow.isFetching))
  return { groups: found.filter((group) => group.hits.length > 0), busy, firstIsSure: found[0]!.hits.length > 0 }
}

function toGroup({ kind, hits }: SearchGroup): HitGroup {
  const toHit = (hit: SearchHit) => ({ label: hit.label || hit.id, path: pathOf[kind](hit), aside: hit.detail })
  return { label: labels[kind], hits: hits.map(toHit) }
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
