import type { Field, Filter, Value } from '../app/address/filter.ts'
import { inventoryEcosystems } from '../dependencies/question.ts'

const severities: Value[] = ['critical', 'high', 'medium', 'low', 'info'].map((word) => ({
  word,
  wire: `SEVERITY_${word.toUpperCase()}`,
  label: word.charAt(0).toUpperCase() + word.slice(1),
}))

/** Days stand in the address; the API takes a moment. */
const days = 'publishedDays'
const sinceValues: Value[] = [
  { word: '7d', wire: '7', label: 'the last 7 days' },
  { word: '30d', wire: '30', label: 'the last 30 days' },
  { word: '90d', wire: '90', label: 'the last 90 days' },
  { word: '365d', wire: '365', label: 'the last year' },
]

export const vulnerabilityFields: readonly Field[] = [
  { key: 'sev', label: 'Severity', wire: 'severities', kind: 'words', values: severities, pinned: true },
  {
    key: 'ecosystem',
    label: 'Ecosystem',
    wire: 'ecosystems',
    kind: 'words',
    values: inventoryEcosystems.map((word) => ({ word, wire: word, label: word })),
    pinned: true,
  },
  { key: 'package', label: 'Package', wire: 'package', kind: 'text', pinned: true },
  { key: 'published', label: 'Published in', wire: days, kind: 'choice', values: sinceValues, pinned: true },
]

/** What else stands in the address of the list. */
export const reserved = ['text', 'sort'] as const

/** The filter of the API. Whole days, so that the same question of one day is one question. */
export function wireFilter({ [days]: since, ...rest }: Filter, text: string, now: number): Filter {
  const today = Math.floor(now / 86_400_000)
  return {
    ...rest,
    ...(text && { text }),
    ...(since !== undefined && { publishedSince: new Date((today - Number(since)) * 86_400_000).toISOString() }),
  }
}

const sorts = ['severity', 'repositories', 'findings', 'published', 'id'] as const
export type VulnerabilitySort = { by: (typeof sorts)[number]; direction: 'asc' | 'desc' }

export function readSort(text: string | undefined): VulnerabilitySort {
  const [word = '', direction] = (text ?? '').split('-')
  const by = sorts.find((each) => each === word) ?? 'severity'
  return { by, direction: direction === 'asc' ? 'asc' : 'desc' }
}

/** As it stands in the address: the default is left out. */
export function writeSort({ by, direction }: { by: string; direction: string }): string[] {
  const whole = `${by}${direction === 'asc' ? '-asc' : ''}`
  return whole === 'severity' ? [] : [whole]
}
