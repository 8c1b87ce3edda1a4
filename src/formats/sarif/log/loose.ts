/** Values of a document that may have any shape: what does not fit reads as empty, never as an exception. */
export type Loose = Readonly<Record<string, unknown>>

const nothing: Loose = Object.freeze({})

export function record(value: unknown): Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : nothing
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Without NUL and lone surrogates, which PostgreSQL cannot store; cut to `maxLength`. */
export function text(value: unknown, maxLength = 1000): string {
  if (typeof value !== 'string') return ''
  // Copied when cut, because a slice keeps the whole of a long text in memory.
  const short = value.length > maxLength ? Buffer.from(value.slice(0, maxLength)).toString() : value
  return short.replaceAll('\u0000', '').toWellFormed()
}

/** A text, or a number written out: tools disagree on which of the two a score is. */
export function word(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return text(value, 200).trim()
}

/** A whole number from 1 on; 0 for all else. */
export function positive(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0
}

/** An index into an array of the log; -1, SARIF's own word for it, where there is none. */
export function indexOf(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : -1
}

export function oneLine(value: string, maxLength: number): string {
  const line = value.replace(/\s+/g, ' ').trim()
  return line.length > maxLength ? `${line.slice(0, maxLength - 1).toWellFormed()}…` : line
}

/** Own properties only: a name like 'constructor' in a log is a name like any other. */
export function own(of: Loose, key: string): unknown {
  return Object.hasOwn(of, key) ? of[key] : undefined
}
