import type { Occasion, Subject } from '../../../domain/trigger-event.ts'
import type { ActionType } from '../automation.ts'
import { nameOf } from '../rules/choose-subjects.ts'
import type { ActionRow, AutomationRow } from '../store.ts'
import type { NewRun } from './run-store.ts'

export const actionKind = 'automation.action'

/** What a job of an action holds. No secret: those are read when it runs. */
export type ActionPayload = {
  actionId: number
  runId: number
  occasion: Occasion
  subjects: Subject[]
  total: number
  /** When it happened. */
  at: string
  /** Of an e-mail: each recipient has a job of their own, so that one bad address keeps nobody else from theirs. */
  recipient?: string
}

/** A job and its line of history, before either has an id. */
export type Draft = {
  lane: string
  payload: Omit<ActionPayload, 'runId' | 'occasion' | 'at'>
  run: Omit<NewRun, 'jobId'>
}

const mostInOne = 100
/** A lane is one delivery at a time; a receiver is given a few at once. */
const lanesPerReceiver = 4

export function draftsFor(automation: AutomationRow, action: ActionRow, subjects: readonly Subject[]): Draft[] {
  const draft = (part: readonly Subject[], lane: string, recipient?: string): Draft => ({
    lane,
    payload: {
      actionId: action.id,
      subjects: [...part],
      total: subjects.length,
      ...(recipient === undefined ? {} : { recipient }),
    },
    run: {
      automationId: automation.id,
      actionId: action.id,
      actionType: action.type,
      subjectCount: isMessage(action.type) ? subjects.length : part.length,
      subjects: part.map(nameOf),
    },
  })
  const first = subjects.slice(0, mostInOne)
  if (action.type === 'ACTION_TYPE_EMAIL') return action.config.to!.map((to) => draft(first, 'email', to))
  if (isMessage(action.type)) return [draft(first, laneOf(action, 0))]
  return partsOf(subjects).map((part, index) => draft(part, laneOf(action, index)))
}

/** One message is enough for people, however much it is about; programs get everything. */
function isMessage(type: ActionType): boolean {
  return type === 'ACTION_TYPE_EMAIL' || type === 'ACTION_TYPE_CHAT'
}

function partsOf(subjects: readonly Subject[]): Subject[][] {
  const count = Math.ceil(subjects.length / mostInOne)
  return Array.from({ length: count }, (_, at) => subjects.slice(at * mostInOne, (at + 1) * mostInOne))
}

function laneOf({ type, config }: ActionRow, index: number): string {
  const name = type.replace('ACTION_TYPE_', '').toLowerCase()
  if (type !== 'ACTION_TYPE_WEBHOOK') return name
  return `${name}:${config.origin} ${(Math.floor(Math.random() * lanesPerReceiver) + index) % lanesPerReceiver}`
}
