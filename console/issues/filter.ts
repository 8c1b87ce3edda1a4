import type { Field, Filter, Value } from '../app/address/filter.ts'
import { openStates, reasons, states } from '../findings/filter.ts'

const severities: Value[] = ['critical', 'high', 'medium', 'low', 'info'].map((word) => ({
  word,
  wire: `SEVERITY_${word.toUpperCase()}`,
  label: word.charAt(0).toUpperCase() + word.slice(1),
}))

/** Repositories stand in the address by name; the API takes their ids. */
export const repositoryNames = 'repositoryNames'

export const issueFields: readonly Field[] = [
  {
    key: 'state',
    label: 'State',
    wire: 'triageStates',
    kind: 'words',
    values: states,
    fallback: openStates,
    pinned: true,
  },
  { key: 'sev', label: 'Severity', wire: 'severities', kind: 'words', values: severities, pinned: true },
  { key: 'repo', label: 'Repository', wire: repositoryNames, kind: 'texts', pinned: true },
  { key: 'reason', label: 'Reason', wire: 'triageReasons', kind: 'words', values: reasons },
  { key: 'assignee', label: 'Assignee', wire: 'assignees', kind: 'texts', fits: /^(?:me|none|[0-9]{1,16})$/ },
  { key: 'created', label: 'Created', wire: 'createdAt', kind: 'period' },
  { key: 'detected', label: 'Last seen', wire: 'lastDetectedAt', kind: 'period' },
  { key: 'text', label: 'Title', wire: 'title', kind: 'text' },
]

/** What else may stand in the address of the list. */
export const reserved = ['sort'] as const

export type SortBy = 'createdAt' | 'lastDetectedAt' | 'severity'
export type IssueSort = { by: SortBy; direction: 'asc' | 'desc' }
const sortWords: Record<string, SortBy> = { severity: 'severity', created: 'createdAt', detected: 'lastDetectedAt' }

export function readSort(text: string | undefined): IssueSort {
  const [word = '', direction] = (text ?? '').split('-')
  return { by: sortWords[word] ?? 'severity', direction: direction === 'asc' ? 'asc' : 'desc' }
}

export function writeSort({ by, direction }: { by: string; direction: string }): string[] {
  const word = Object.keys(sortWords).find((each) => sortWords[each] === by) ?? 'severity'
  const whole = `${word}${direction === 'asc' ? '-asc' : ''}`
  return whole === 'severity' ? [] : [whole]
}

/** Only these are counted; with anything else the number is that of the rows that were read. */
const counted = ['triageStates', 'triageReasons', 'severities', 'projectIds']

export function isCounted(filter: Filter): boolean {
  return Object.keys(filter).every((name) => counted.includes(name))
}
