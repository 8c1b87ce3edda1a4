import { label, plural } from '../ui/text/words.ts'

const verbs: Record<string, string> = {
  reviewing: 'in review',
  fixing: 'being fixed',
  open: 'open again',
  ignored: 'ignored',
}

export function decided(count: number, state: string, what: string): string {
  return `${plural(count, what)} ${count === 1 ? 'is' : 'are'} ${verbs[state] ?? label(state).toLowerCase()}.`
}

const actions: Record<string, string> = {
  TRIAGE_STATE_REVIEWING: 'Review',
  TRIAGE_STATE_FIXING: 'Mark as being fixed:',
  TRIAGE_STATE_OPEN: 'Open again:',
}

/** What a button is about to do to a whole group. */
export function actionOn(state: string, count: number, what: string): string {
  return `${actions[state] ?? label(state)} ${plural(count, what)}`
}
