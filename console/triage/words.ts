import { count, label, plural } from '../ui/text/words.ts'

const verbs: Record<string, string> = {
  reviewing: 'in review',
  fixing: 'being fixed',
  open: 'open again',
  ignored: 'ignored',
}

/** `along`: how many on other branches are the same, and were decided along with them. */
export function decided(number: number, state: string, what: string, along = 0): string {
  const done = `${plural(number, what)} ${number === 1 ? 'is' : 'are'} ${verbs[state] ?? label(state).toLowerCase()}`
  return along > 0 ? `${done}, and ${count(along)} like ${number === 1 ? 'it' : 'them'} on other branches.` : `${done}.`
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
