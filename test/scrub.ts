/** What stands in an example instead of what a run made up. Each fits where the thing itself fits. */
const replacements: [RegExp, string | ((found: string) => string)][] = [
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'eyJhbGciOiJFZERTQSJ9.e30.c2lnbmF0dXJl'],
  [/gth_[\w-]{6,}/g, 'gth_EXAMPLE'],
  [
    /-----BEGIN ([A-Z ]+)-----[\s\S]*?-----END [A-Z ]+-----/g,
    '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
  ],
  [/https?:\/\/(127\.0\.0\.1|localhost|\[::1\]):\d+/g, 'https://service.example.com'],
  [/\b127\.0\.0\.1:\d+/g, 'service.example.com'],
  [/\/tmp\/[\w./-]+/g, '/srv/gatehouse/file'],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '00000000-0000-4000-8000-000000000000'],
  [/\b([a-z]+)-[0-9a-f]{8}\b/g, '$1'],
  [/gth_…\w{4}/g, 'gth_…MPLE'],
  [/\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{16,}\b/g, (found) => repeated('0123456789abcdef', found.length)],
  [/^(?=.*\d)(?=.*[A-Z])(?=.*[a-z])[A-Za-z0-9+][A-Za-z0-9+/]{19,}=*$/g, madeUp],
  [/(?<![\w.-])(?=[\w+=-]*\d)(?=[\w+=-]*[A-Z])(?=[\w+=-]*[a-z])[\w+=-]{20,}(?![\w.-])/g, madeUp],
]

function madeUp(found: string): string {
  return repeated('RXhhbXBsZTEy', found.length)
}

/** A value without secrets, and without moments of the run it comes from. */
export function scrubbed(value: unknown, now = Date.now()): unknown {
  if (typeof value === 'string') return scrubbedText(value, now)
  if (Array.isArray(value)) return value.map((entry) => scrubbed(entry, now))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, scrubbed(entry, now)]))
}

const day = 86_400_000
/** Nothing of what comes after is shown. */
const longest = 2_000
const shownDay = Date.parse('2026-01-31T12:00:00Z')
const moment = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g

function scrubbedText(text: string, now: number): string {
  let result = text.slice(0, longest)
  for (const [pattern, replacement] of replacements) result = result.replace(pattern, replacement as string)
  return result.replace(moment, (found) => momentOf(found, now))
}

/** What is about the time of the run is moved to a fixed day, by whole days; what a test chose stays. */
function momentOf(text: string, now: number): string {
  const days = Math.round((Date.parse(text) - now) / day)
  return Math.abs(days) > 400 ? text : new Date(shownDay + days * day).toISOString()
}

function repeated(text: string, length: number): string {
  return text.repeat(Math.ceil(length / text.length)).slice(0, length)
}
