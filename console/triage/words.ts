import { count, label, plural, undone } from '../ui/text/words.ts'

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

/** `others`: how many an undo leaves alone, because they are no longer as the decision left them. */
export function putBackWords(back: number, others: number, what: string): string {
  if (others === 0) return undone(back, what)
  const kept = `${plural(others, what)} ${others === 1 ? 'was changed meanwhile and stays' : 'were changed meanwhile and stay'} so.`
  return back === 0 ? `Not undone: ${kept}` : `${undone(back, what)} ${kept}`
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
