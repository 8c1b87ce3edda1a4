/** Words of the API in lower case and without prefix, as they stand in addresses and on the screen. */
export function wordOf(wire: string): string {
  return wire
    .replace(
      /^(?:SEVERITY|TRIAGE_STATE|TRIAGE_REASON|CONFIDENCE|REACHABILITY|VALIDITY|VERDICT|DECIDER|CAUSE|PRODUCT_TYPE)_/,
      '',
    )
    .toLowerCase()
}

const special: Record<string, string> = {
  sast: 'Code',
  sca: 'Dependencies',
  secrets: 'Secrets',
  ai: 'AI',
  code: 'Code',
}

/** A word as a label: `provisionally_ignored` is Provisionally ignored. */
export function label(word: string): string {
  const known = special[word]
  if (known) return known
  const spaced = word.replaceAll('_', ' ').replaceAll('-', ' ')
  return spaced.charAt(0).toUpperCase() + spaced.slice(1)
}

const numbers = new Intl.NumberFormat('en')
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** Grouped, and never abbreviated below 100,000. */
export function count(value: number): string {
  return value < 100_000 ? numbers.format(value) : short.format(value)
}

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${numbers.format(value)} ${noun(value, one, many)}`
}

export function undone(count: number, one: string, many?: string): string {
  return `Undone: ${plural(count, one, many)} ${count === 1 ? 'is as it was' : 'are as they were'}.`
}

/** The same without the number, where that stands apart. */
export function noun(value: number, one: string, many = `${one}s`): string {
  return value === 1 ? one : many
}

/** A number of which there may be more: 200,000+. */
export function bounded({ total, atLeast }: { total: number; atLeast: boolean }): string {
  return `${numbers.format(total)}${atLeast ? '+' : ''}`
}

export function list(words: readonly string[], and = 'and'): string {
  if (words.length < 2) return words[0] ?? ''
  return `${words.slice(0, -1).join(', ')} ${and} ${words.at(-1)}`
}
