import type { Pair } from '../app/address/address.ts'
import type { Field, Value } from '../app/address/filter.ts'

function values(prefix: string, words: readonly string[], labels: Record<string, string> = {}): Value[] {
  return words.map((word) => ({
    word,
    wire: `${prefix}_${word.toUpperCase().replaceAll('-', '_')}`,
    label: labels[word] ?? word.charAt(0).toUpperCase() + word.slice(1).replaceAll('-', ' '),
  }))
}

/** @public */
export const openStates = ['open', 'reopened', 'reviewing', 'fixing'] as const

/** @public */
export const states = values('TRIAGE_STATE', [
  'open',
  'reopened',
  'reviewing',
  'fixing',
  'provisionally-ignored',
  'ignored',
  'fixed',
  'ended',
])
export const reasons = values('TRIAGE_REASON', ['false-positive', 'acceptable-risk', 'no-time'])
const severities = values('SEVERITY', ['critical', 'high', 'medium', 'low', 'info'])
const products: Value[] = [
  { word: 'code', wire: 'PRODUCT_TYPE_SAST', label: 'Code' },
  { word: 'sca', wire: 'PRODUCT_TYPE_SCA', label: 'Dependencies' },
  { word: 'secrets', wire: 'PRODUCT_TYPE_SECRETS', label: 'Secrets' },
  { word: 'ai', wire: 'PRODUCT_TYPE_AI', label: 'AI' },
]
const categories = [
  'security',
  'correctness',
  'performance',
  'maintainability',
  'style',
  'best-practice',
  'portability',
  'licence',
].map((word) => ({ word, wire: word, label: word.charAt(0).toUpperCase() + word.slice(1).replaceAll('-', ' ') }))

/** Every filter of the list: its name in the address, and what the API calls it. */
export const findingFields: readonly Field[] = [
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
  { key: 'kind', label: 'Kind', wire: 'products', kind: 'words', values: products, pinned: true },
  { key: 'repo', label: 'Repository', wire: 'repositories', kind: 'texts', pinned: true },
  { key: 'rule', label: 'Rule', wire: 'ruleIds', kind: 'texts', blank: 'no rule' },
  { key: 'vuln', label: 'Vulnerability', wire: 'vulnerabilityIds', kind: 'texts' },
  { key: 'first-vuln', label: 'Main vulnerability', wire: 'firstVulnerabilityIds', kind: 'texts' },
  { key: 'package', label: 'Package', wire: 'dependency', kind: 'package' },
  { key: 'tag', label: 'Tag', wire: 'tags', kind: 'texts' },
  { key: 'reason', label: 'Reason', wire: 'triageReasons', kind: 'words', values: reasons },
  { key: 'branch', label: 'Branch', wire: 'refs', kind: 'texts' },
  { key: 'pr', label: 'Pull request', wire: 'pullRequest', kind: 'number' },
  {
    key: 'prs',
    label: 'Pull requests',
    wire: 'pullRequests',
    kind: 'choice',
    values: [
      { word: 'only', wire: 'only', label: 'only from pull requests' },
      { word: 'none', wire: 'none', label: 'none of pull requests' },
    ],
  },
  { key: 'file', label: 'File', wire: 'paths', kind: 'texts' },
  { key: 'path', label: 'Path begins', wire: 'pathPrefix', kind: 'text' },
  {
    key: 'confidence',
    label: 'Confidence',
    wire: 'confidences',
    kind: 'words',
    values: values('CONFIDENCE', ['high', 'medium', 'low', 'unspecified']),
  },
  {
    key: 'reach',
    label: 'Reachability',
    wire: 'reachabilities',
    kind: 'words',
    values: values('REACHABILITY', ['reachable', 'unreachable', 'unknown', 'unspecified']),
  },
  {
    key: 'valid',
    label: 'Validity',
    wire: 'validities',
    kind: 'words',
    values: values('VALIDITY', ['valid', 'invalid', 'unknown', 'unspecified']),
  },
  { key: 'category', label: 'Category', wire: 'categories', kind: 'words', values: categories },
  { key: 'cwe', label: 'Weakness', wire: 'cwes', kind: 'texts' },
  { key: 'source', label: 'Source', wire: 'sources', kind: 'texts' },
  {
    key: 'stage',
    label: 'Funnel',
    wire: 'stage',
    kind: 'choice',
    values: [
      { word: 'all', wire: 'allFindings', label: 'neither fixed nor ignored' },
      { word: 'exploitable', wire: 'possiblyExploitable', label: 'possibly exploitable' },
      { word: 'exposed', wire: 'internetExposed', label: 'internet-exposed' },
      { word: 'priority', wire: 'priorityFindings', label: 'priority' },
    ],
  },
  {
    key: 'part',
    label: 'Part of the funnel',
    wire: 'stageProduct',
    kind: 'choice',
    values: [
      { word: 'code', wire: 'code', label: 'code' },
      { word: 'sca', wire: 'sca', label: 'dependencies' },
      { word: 'secrets', wire: 'secrets', label: 'secrets' },
    ],
  },
  {
    key: 'guardrail',
    label: 'Guardrails',
    wire: 'guardrailsFigure',
    kind: 'choice',
    values: [
      { word: 'shown', wire: 'totalOpened', label: 'shown in pull requests' },
      { word: 'all-fixed', wire: 'totalFixed', label: 'fixed of what was shown' },
      { word: 'silenced', wire: 'silenced', label: 'silenced' },
      { word: 'open', wire: 'open', label: 'open' },
      { word: 'fixed', wire: 'fixed', label: 'fixed' },
      { word: 'ignored', wire: 'ignored', label: 'ignored' },
      { word: 'provisionally-ignored', wire: 'provisionallyIgnored', label: 'provisionally ignored' },
    ],
  },
  { key: 'exposed', label: 'Publicly exposed', wire: 'publiclyExposed', kind: 'flag' },
  { key: 'archived', label: 'Archived repository', wire: 'archived', kind: 'flag' },
  { key: 'team', label: 'Team', wire: 'teams', kind: 'texts' },
  {
    key: 'decided',
    label: 'Decided by',
    wire: 'decidedBy',
    kind: 'words',
    values: values('DECIDER', ['person', 'automation', 'memory', 'rule', 'observation']),
  },
  { key: 'assignee', label: 'Assignee', wire: 'assignees', kind: 'texts', fits: /^(?:me|none|[0-9]{1,16})$/ },
  { key: 'overdue', label: 'Overdue', wire: 'overdue', kind: 'flag' },
  { key: 'ticket', label: 'Has a ticket', wire: 'hasTicket', kind: 'flag' },
  { key: 'owasp', label: 'OWASP', wire: 'owasp', kind: 'texts' },
  { key: 'scan', label: 'Scan', wire: 'scanIds', kind: 'texts' },
  { key: 'malicious', label: 'Malicious', wire: 'malicious', kind: 'flag' },
  { key: 'silenced', label: 'Silenced', wire: 'silenced', kind: 'flag' },
  { key: 'raised', label: 'Raised', wire: 'raisedAt', kind: 'period' },
  { key: 'fixed', label: 'Fixed', wire: 'fixedAt', kind: 'period' },
  {
    key: 'happened',
    label: 'Happened',
    wire: 'happened',
    kind: 'choice',
    values: [
      { word: 'fixed', wire: 'fixed', label: 'became fixed' },
      { word: 'reopened', wire: 'reopened', label: 'came back' },
      { word: 'ignored', wire: 'ignored', label: 'became ignored' },
      { word: 'provisionally-ignored', wire: 'provisionallyIgnored', label: 'became provisionally ignored' },
    ],
  },
  { key: 'at', label: 'Open on', wire: 'standingAt', kind: 'moment' },
  { key: 'once', label: 'Each thing once', wire: 'once', kind: 'flag' },
  { key: 'when', label: 'Changed', wire: 'happenedAt', kind: 'period' },
  { key: 'text', label: 'Text', wire: 'text', kind: 'text' },
]

/** What reports and pages count: what stands on branches, each thing once. */
export const onBranches: readonly Pair[] = [
  ['prs', 'none'],
  ['once', 'yes'],
]

/** The same without repositories that nobody works on any more: as the list of repositories, unless others are asked for. */
export const inUse: readonly Pair[] = [...onBranches, ['archived', 'no']]

/** What is open of it, as the API asks for it. */
export const openOnBranches = {
  triageStates: openStates.map((state) => `TRIAGE_STATE_${state.toUpperCase()}`),
  pullRequests: 'none' as const,
  once: true,
}

/** What else may stand in the address of the list. */
export const reserved = ['sort', 'group', 'in'] as const
