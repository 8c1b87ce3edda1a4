import type { Queryable, Transaction } from './transaction.ts'

export const triggerSources = [
  'TRIGGER_SOURCE_SCAN',
  'TRIGGER_SOURCE_ISSUE_TRIAGED',
  'TRIGGER_SOURCE_SUPPLY_CHAIN_INCIDENT',
  'TRIGGER_SOURCE_MANUAL',
] as const
export type TriggerSource = (typeof triggerSources)[number]

/** What an automation looks at and acts on. A property that a kind does not have is empty. */
export type Subject = {
  kind: 'finding' | 'issue' | 'dependency'
  id: string
  title: string
  path: string
  /** The names of the interface: SEVERITY_HIGH, CONFIDENCE_HIGH, PRODUCT_TYPE_SAST, TRIAGE_STATE_OPEN and so on. */
  severity: string
  confidence: string
  product: string
  reachability: string
  ruleId: string
  category: string
  cwes: string[]
  malicious: boolean
  triageState: string
  /** Opened or reopened by what happened; not merely seen again. */
  isNew: boolean
}

/** Something happened that automations may act on. */
export type TriggerEvent = {
  source: TriggerSource
  repository: { id: number; name: string; tags: string[] } | null
  /** Empty where there is none. */
  ref: string
  /** 0 where there is none. */
  scanId: number
  pullRequest: number
  /** Only asked for if an active automation waits for such an event. */
  subjects(db: Queryable): Promise<Subject[]>
}

/** Acts on an event in its transaction, and says which automations want it blocked. */
export type Fire = (tx: Transaction, event: TriggerEvent) => Promise<{ blockedBy: { id: string; name: string }[] }>
