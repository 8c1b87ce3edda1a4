import { firstOf, type Pair } from '../../app/address/address.ts'
import { notUnderstood } from '../../app/address/understood.ts'

export const auditNames = ['action', 'person', 'target', 'since', 'until'] as const
export type AuditWords = Record<(typeof auditNames)[number], string>
export type AuditFilter = { action?: string; target?: string; personId?: number; since?: string; until?: string }

const personId = /^\d{1,15}$/
const dayPattern = /^\d{4}-\d{2}-\d{2}$/

export function readAuditWords(pairs: readonly Pair[]): AuditWords {
  return Object.fromEntries(auditNames.map((name) => [name, firstOf(pairs, name) ?? ''])) as AuditWords
}

const isDay = (text: string) => dayPattern.test(text) && !Number.isNaN(Date.parse(text))

/** What of an address the log takes no notice of. */
export function lostAuditPairs(pairs: readonly Pair[]): Pair[] {
  const isPerson = (text: string) => personId.test(text)
  return notUnderstood(pairs, { action: 'anything', target: 'anything', person: isPerson, since: isDay, until: isDay })
}

/** What the words ask the server for. Days are whole and in UTC; `until` is not included. What makes no sense is left out. */
export function auditFilter({ action, target, person, since, until }: AuditWords): AuditFilter {
  const moment = (text: string) => (isDay(text) ? `${text}T00:00:00.000Z` : '')
  return {
    ...(action && { action }),
    ...(target && { target }),
    ...(personId.test(person) && { personId: Number(person) }),
    ...(moment(since) && { since: moment(since) }),
    ...(moment(until) && { until: moment(until) }),
  }
}

/** Whoever can be asked about; also a person of the address who is in no list, or not yet. */
export function personChoices(people: readonly { id: number; name: string }[], asked: string) {
  const choices = [
    { value: '', label: 'Everybody' },
    { value: '0', label: 'The system' },
    ...people.map((each) => ({ value: String(each.id), label: each.name })),
  ]
  const isOther = personId.test(asked) && choices.every((choice) => choice.value !== asked)
  return isOther ? [...choices, { value: asked, label: `Person ${asked}` }] : choices
}

/** What people call the target: `token:7` tells nobody which of them it was. Empty where the event does not say it. */
export function targetName(detail: Record<string, unknown>): string {
  const told = [detail.name, detail.email].find((each) => typeof each === 'string' && each !== '')
  return typeof told === 'string' ? told : ''
}
