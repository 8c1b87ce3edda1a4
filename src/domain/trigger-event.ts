import type { Queryable, Transaction } from '../kernel/database/transaction.ts'

export const triggerSources = [
  'TRIGGER_SOURCE_SCAN',
  'TRIGGER_SOURCE_ISSUE_TRIAGED',
  'TRIGGER_SOURCE_SUPPLY_CHAIN_INCIDENT',
  'TRIGGER_SOURCE_FIREWALL_REFUSED',
  'TRIGGER_SOURCE_FIREWALL_EXCEPTION',
  'TRIGGER_SOURCE_MANUAL',
] as const
export type TriggerSource = (typeof triggerSources)[number]

export type TriggerRepository = { id: number; name: string; tags: string[] }

/** What an automation looks at and acts on. A property that a kind does not have is empty. */
export type Subject = {
  kind: 'finding' | 'issue' | 'dependency'
  id: string
  title: string
  path: string
  /** SEVERITY_INFO to SEVERITY_CRITICAL. */
  severity: string
  /** CONFIDENCE_LOW, _MEDIUM, _HIGH. */
  confidence: string
  /** PRODUCT_TYPE_SAST, _SCA, _SECRETS, _AI. */
  product: string
  /** REACHABILITY_REACHABLE, _UNREACHABLE, _UNKNOWN. */
  reachability: string
  ruleId: string
  /** security, correctness and so on. */
  category: string
  cwes: string[]
  malicious: boolean
  /** TRIAGE_STATE_OPEN and so on. */
  triageState: string
  /** Opened, reopened or changed by what happened; not merely seen again. */
  isNew: boolean
  /** Of what the firewall did not let in: only a rule that watches did not, and it came in. */
  watched?: boolean
  /** Why it happened, and the advisories that say so, where advisories made it happen. */
  reason?: string
  advisoryIds?: string[]
  /** Where it is not the event that tells: what it is about. */
  repositories?: TriggerRepository[]
}

/** What happened, and where. */
export type Occasion = {
  source: TriggerSource
  repository: TriggerRepository | null
  /** Empty where there is none. */
  ref: string
  /** 0 where there is none. */
  scanId: number
  pullRequest: number
}

/** Something happened that automations may act on. */
export type TriggerEvent = Occasion & {
  /** Only asked for if an active automation waits for such an event. */
  subjects(db: Queryable): Promise<Subject[]>
}

export type FireResult = {
  blockedBy: { id: string; name: string }[]
  /** For which findings each of them blocks. */
  blocking?: { name: string; findingIds: number[] }[]
  /** Whether any of them decided about something. */
  decided?: boolean
}

/** Acts on an event in its transaction, and says which automations want it blocked. */
export type Fire = ((tx: Transaction, event: TriggerEvent) => Promise<FireResult>) & Expecting

/** Who acts on an event may read ahead what they act by, when they hear that one is to come. */
export type Expecting = { expect?(tx: Transaction, source: TriggerSource, where: ExpectedPlace): void }

export type ExpectedPlace = { repositoryName: string; pullRequest: number }

/** What an automation has somebody do, after the transaction. */
export type ActionOrder = {
  deploymentId: number
  automation: { id: string; name: string }
  actionId: string
  /** The action's settings, without secrets. */
  config: Record<string, unknown>
  occasion: Occasion
  /** At most 100; more of them come as further orders, or are only counted in `total` where one message is enough. */
  subjects: Subject[]
  /** How many subjects the automation acts on in all. */
  total: number
  /** The same on every try: what the receiver is sent so that it does it once. */
  key: string
  signal: AbortSignal
}

/** Carries an order out, or throws: Permanent where another try cannot help, anything else to be asked again. */
export type Performer = (order: ActionOrder) => Promise<void>

/** A decision of an automation about subjects, in its transaction. What a person has decided stays. Answers the ids it changed. */
export type TriageByAutomation = (
  tx: Transaction,
  decision: { subjects: readonly Subject[]; state: string; reason: string; automationId: number },
) => Promise<string[]>
