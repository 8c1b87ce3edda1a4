import type { ActionType, Automation, SentAction, SentConfig } from '../../src/capabilities/automations/automation.ts'
import type { ConditionType } from '../../src/capabilities/automations/rules/condition-types.ts'
import type { Condition, Filters, Mode } from '../../src/capabilities/automations/rules/evaluate.ts'
import type { TriggerSource } from '../../src/domain/trigger-event.ts'
import { label, list, wordOf } from '../ui/text/words.ts'

export const triggers: Record<TriggerSource, string> = {
  TRIGGER_SOURCE_SCAN: 'a scan raises or reopens findings',
  TRIGGER_SOURCE_ISSUE_TRIAGED: 'somebody decides about an issue',
  TRIGGER_SOURCE_SUPPLY_CHAIN_INCIDENT: 'a package in use turns out to be malicious',
  TRIGGER_SOURCE_FIREWALL_REFUSED: 'the firewall refuses a version, for the first time in a day',
  TRIGGER_SOURCE_FIREWALL_EXCEPTION: 'an exception is asked for, decided or ended',
  TRIGGER_SOURCE_MANUAL: 'somebody fires it by hand',
}

export const modeWords: Record<Mode, string> = { MODE_ALL: 'all of', MODE_ANY: 'any of', MODE_NONE: 'none of' }

type ConditionWords = { label: string; values?: readonly string[]; hint?: string; source?: 'repositories' | 'tags' }

export const conditions: Record<ConditionType, ConditionWords> = {
  CONDITION_TYPE_SEVERITY: {
    label: 'severity',
    values: ['SEVERITY_CRITICAL', 'SEVERITY_HIGH', 'SEVERITY_MEDIUM', 'SEVERITY_LOW', 'SEVERITY_INFO'],
  },
  CONDITION_TYPE_PRODUCT: {
    label: 'kind',
    values: ['PRODUCT_TYPE_SAST', 'PRODUCT_TYPE_SCA', 'PRODUCT_TYPE_SECRETS', 'PRODUCT_TYPE_AI'],
  },
  CONDITION_TYPE_REPOSITORY_ID: { label: 'repository', source: 'repositories' },
  CONDITION_TYPE_REPOSITORY_TAG: { label: 'tag of the repository', source: 'tags' },
  CONDITION_TYPE_PATH: { label: 'path', hint: 'A folder, or a path with *, ** and ?' },
  CONDITION_TYPE_REF: { label: 'branch or tag', hint: 'For example main or release/*' },
  CONDITION_TYPE_RULE: { label: 'rule', hint: 'An id, with *, ** and ? as wildcards' },
  CONDITION_TYPE_CONFIDENCE: {
    label: 'confidence',
    values: ['CONFIDENCE_HIGH', 'CONFIDENCE_MEDIUM', 'CONFIDENCE_LOW', 'CONFIDENCE_UNSPECIFIED'],
  },
  CONDITION_TYPE_REACHABILITY: {
    label: 'reachability',
    values: ['REACHABILITY_REACHABLE', 'REACHABILITY_UNREACHABLE', 'REACHABILITY_UNKNOWN', 'REACHABILITY_UNSPECIFIED'],
  },
  CONDITION_TYPE_CATEGORY: { label: 'category', hint: 'For example security' },
  CONDITION_TYPE_CWE: { label: 'weakness', hint: 'For example CWE-79' },
  CONDITION_TYPE_MALICIOUS_DEPENDENCY: { label: 'malicious dependency', values: ['true', 'false'] },
  CONDITION_TYPE_TRIAGE_STATE: {
    label: 'state',
    values: [
      'TRIAGE_STATE_OPEN',
      'TRIAGE_STATE_REOPENED',
      'TRIAGE_STATE_REVIEWING',
      'TRIAGE_STATE_FIXING',
      'TRIAGE_STATE_PROVISIONALLY_IGNORED',
      'TRIAGE_STATE_IGNORED',
      'TRIAGE_STATE_FIXED',
    ],
  },
}

export const actions: Record<ActionType, string> = {
  ACTION_TYPE_BLOCK: 'block the scan',
  ACTION_TYPE_TRIAGE: 'decide',
  ACTION_TYPE_EMAIL: 'send an e-mail',
  ACTION_TYPE_TICKET: 'make a ticket',
  ACTION_TYPE_CHAT: 'tell a channel',
  ACTION_TYPE_WEBHOOK: 'call a webhook',
  ACTION_TYPE_CLOUDSEC: 'tell cloud security',
}

/** A value as people say it. */
export function valueWord(value: string): string {
  if (value === 'true') return 'yes'
  if (value === 'false') return 'no'
  return /^[A-Z]+(?:_[A-Z]+)+$/.test(value) ? label(wordOf(value)) : value
}

export type NameOf = (repositoryId: string) => string

function conditionSentence({ type, mode, values }: Condition, nameOf: NameOf): string {
  const shown = values.map((value) => (type === 'CONDITION_TYPE_REPOSITORY_ID' ? nameOf(value) : valueWord(value)))
  const named = shown.length > 4 ? [...shown.slice(0, 3), `${shown.length - 3} more`] : shown
  const how = mode === 'MODE_NONE' ? 'is not' : 'is'
  return `${conditions[type].label} ${how} ${list(named, mode === 'MODE_ALL' ? 'and' : 'or')}`
}

type AnyAction = { type: ActionType; config?: Record<string, unknown> | undefined }

function actionSentence({ type, config = {} }: AnyAction): string {
  const text = (name: string) => (typeof config[name] === 'string' ? String(config[name]) : '')
  switch (type) {
    case 'ACTION_TYPE_TRIAGE': {
      const reason = wordOf(text('triageReason'))
      return `decide: ${label(wordOf(text('triageState'))).toLowerCase()}${reason && reason !== 'unspecified' ? ` (${label(reason).toLowerCase()})` : ''}`
    }
    case 'ACTION_TYPE_EMAIL':
      return `send an e-mail to ${list((config.to as string[] | undefined) ?? [])}`
    case 'ACTION_TYPE_CHAT':
      return `tell the channel ${text('channel')}`
    case 'ACTION_TYPE_WEBHOOK':
      return text('origin') ? `call a webhook at ${text('origin')}` : 'call a webhook'
    default:
      return actions[type]
  }
}

type Readable = { triggerSource: TriggerSource; filters: Filters; actions: readonly AnyAction[] }

/** The whole automation, read as a sentence. */
export function sentenceOf({ triggerSource, filters, actions: all }: Readable, nameOf: NameOf): string {
  const parts = filters.conditions.map((condition) => conditionSentence(condition, nameOf))
  const lead =
    parts.length > 1 && filters.mode !== 'MODE_ALL'
      ? `${modeWords[filters.mode]}: `
      : parts.length === 1 && filters.mode === 'MODE_NONE'
        ? 'not: '
        : ''
  const joined = parts.join(filters.mode === 'MODE_ALL' ? ' and ' : '; ')
  const when = parts.length > 0 ? `, and ${lead}${joined}` : ''
  return `When ${triggers[triggerSource]}${when}, then ${list(all.map(actionSentence))}.`
}

/** An action while it is edited. `key` stays the same while it moves. */
export type DraftAction = { key: string; id?: string; type: ActionType; config: SentConfig; origin?: string }
export type Draft = {
  name: string
  description: string
  active: boolean
  triggerSource: TriggerSource
  filters: Filters
  actions: DraftAction[]
}

export function draftOf(automation: Automation): Draft {
  return {
    name: automation.name,
    description: automation.description,
    active: automation.active,
    triggerSource: automation.triggerSource,
    filters: automation.filters,
    actions: automation.actions.map(({ id, type, config }) => {
      const { origin, ...rest } = config as SentConfig & { origin?: string }
      return { key: id, id, type, config: rest, ...(origin !== undefined && { origin }) }
    }),
  }
}

export const emptyDraft: Draft = {
  name: '',
  description: '',
  active: false,
  triggerSource: 'TRIGGER_SOURCE_SCAN',
  filters: {
    mode: 'MODE_ALL',
    conditions: [{ mode: 'MODE_ANY', type: 'CONDITION_TYPE_SEVERITY', values: ['SEVERITY_CRITICAL'] }],
  },
  actions: [{ key: 'first', type: 'ACTION_TYPE_BLOCK', config: {} }],
}

/** What is sent: conditions without a value are left out, and of a webhook that is kept only its id. */
export function bodyOf(draft: Draft): Omit<Draft, 'actions'> & { actions: SentAction[] } {
  return {
    name: draft.name.trim(),
    description: draft.description.trim(),
    active: draft.active,
    triggerSource: draft.triggerSource,
    filters: {
      mode: draft.filters.mode,
      conditions: draft.filters.conditions.filter((each) => each.values.length > 0),
    },
    actions: draft.actions.map(({ id, type, config }) => {
      const given = Object.entries(config).filter(([, value]) => value !== undefined && value !== '')
      return {
        ...(id !== undefined && { id }),
        type,
        ...(given.length > 0 && { config: Object.fromEntries(given) as SentConfig }),
      }
    }),
  }
}

/** A signing key for a webhook: as Standard Webhooks writes them. */
export function newSigningKey(bytes: Uint8Array): string {
  return `whsec_${btoa(String.fromCharCode(...bytes))}`
}
