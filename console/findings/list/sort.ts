import type { GridSort } from '../../ui/lists/grid.tsx'

/** What findings are sorted by, in the words of the address. */
const words: Record<string, string> = {
  severity: 'severity',
  raised: 'raisedAt',
  changed: 'stateChangedAt',
  repository: 'repository',
  rule: 'rule',
  path: 'path',
}

export function sortOf(text: string | undefined): GridSort {
  const [word = '', direction] = (text ?? '').split('-')
  return { by: words[word] ?? 'severity', direction: direction === 'asc' ? 'asc' : 'desc' }
}

export function sortWord({ by, direction }: GridSort): string[] {
  const word = Object.keys(words).find((each) => words[each] === by) ?? 'severity'
  const whole = `${word}${direction === 'asc' ? '-asc' : ''}`
  return whole === 'severity' ? [] : [whole]
}
