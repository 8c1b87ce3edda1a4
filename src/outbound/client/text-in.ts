/**
 * A field of an answer for people to read: bounded, and without what a database or terminal chokes on. Empty where it is
 * not there.
 */
export function textIn(value: unknown, name: string): string {
  const field = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
  if (typeof field !== 'string') return ''
  return field
    .toWellFormed()
    .replace(/\p{Cc}/gu, ' ')
    .slice(0, 500)
    .toWellFormed()
}
