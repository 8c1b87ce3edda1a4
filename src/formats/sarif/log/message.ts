import { type Loose, list, record, text } from './loose.ts'

const maxLength = 4000

/**
 * The plain text of a message (SARIF §3.11): looked up by its id, arguments filled in, links to places of the log
 * reduced to their words. Markdown is only used where there is nothing else.
 */
export function messageText(message: Loose, strings: readonly Readonly<Record<string, string>>[]): string {
  const written =
    text(message.text, maxLength) || lookUp(text(message.id, 500), strings) || text(message.markdown, maxLength)
  const values = list(message.arguments).map((value) => text(value, maxLength))
  return unlink(values.length > 0 ? fillIn(written, values) : written)
    .slice(0, maxLength)
    .toWellFormed()
    .trim()
}

function lookUp(id: string, strings: readonly Readonly<Record<string, string>>[]): string {
  if (id === '') return ''
  for (const known of strings) if (Object.hasOwn(known, id)) return known[id]!
  return ''
}

/** §3.11.5: `{0}` is the first argument, doubled braces are braces. */
function fillIn(written: string, values: readonly string[]): string {
  let length = 0
  return written.replace(/\{\{|\}\}|\{(\d{1,3})\}/g, (found, number: string | undefined) => {
    if (number === undefined) return found[0]!
    const value = values[Number(number)] ?? found
    length += value.length
    // A log may name a long argument many times.
    return length > maxLength ? '…' : value
  })
}

/** §3.11.6: `[the place](1)` points to a related location, which we do not show. Links to web pages stay. */
function unlink(written: string): string {
  return written
    .replace(/(?<!\\)\[((?:[^[\]\\]|\\.){1,500})\]\((?:\d+|sarif:[^)\s]{0,500})\)/g, '$1')
    .replace(/\\([[\]])/g, '$1')
}

/** The strings of a rule or tool component that a message id may refer to (§3.19.22, §3.49.11). */
export function messageStrings(value: unknown): Record<string, string> {
  const strings: Record<string, string> = Object.create(null)
  for (const [id, message] of Object.entries(record(value)).slice(0, 500)) {
    strings[id] = text(record(message).text, maxLength)
  }
  return strings
}
