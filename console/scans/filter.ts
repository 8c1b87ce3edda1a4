import type { Field, Value } from '../app/address/filter.ts'

const yesOrNo = (yes: string, no: string): Value[] => [
  { word: 'yes', wire: 'true', label: yes },
  { word: 'no', wire: 'false', label: no },
]

/** Every filter of the list: its name in the address, and what the API calls it. */
export const scanFields: readonly Field[] = [
  {
    key: 'kind',
    label: 'Kind',
    wire: 'kind',
    kind: 'choice',
    pinned: true,
    values: [
      { word: 'full', wire: 'SCAN_KIND_FULL', label: 'Branches' },
      { word: 'pull-request', wire: 'SCAN_KIND_PULL_REQUEST', label: 'Pull requests' },
    ],
  },
  {
    key: 'blocked',
    label: 'Verdict',
    wire: 'blocked',
    kind: 'choice',
    values: yesOrNo('Blocked', 'Not blocked'),
    pinned: true,
  },
  { key: 'problems', label: 'Problems', wire: 'problems', kind: 'choice', values: yesOrNo('With', 'Without') },
  { key: 'branch', label: 'Branch', wire: 'ref', kind: 'text' },
  { key: 'pr', label: 'Pull request', wire: 'pullRequest', kind: 'number' },
  { key: 'commit', label: 'Commit begins', wire: 'commit', kind: 'text' },
  { key: 'tool', label: 'Tool', wire: 'tool', kind: 'text' },
]
