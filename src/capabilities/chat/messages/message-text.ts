import type { Occasion, Subject } from '../../../domain/trigger-event.ts'

const mostLines = 10
const longestLine = 250

/** Of what somebody else wrote only words are left: no mention, link or format of the chat service comes through. */
export function escaped(text: string): string {
  const line = text
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
  const short = line.length > longestLine ? `${line.slice(0, longestLine - 1).toWellFormed()}…` : line
  return short
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/[*_~`]/g, "'")
}

export function newFindingsText(occasion: Occasion, subjects: readonly Subject[]): string {
  const head = `*${count(subjects.length, 'new finding')} in ${place(occasion)}*`
  return [head, ...listed(subjects, subjects.length)].join('\n')
}

export function triagedText(subjects: readonly Subject[]): string {
  const lineOf = (one: Subject) => `• ${escaped(one.title)}: ${word(one.triageState, 'TRIAGE_STATE_')}`
  return [`*${count(subjects.length, 'issue')} triaged*`, ...firstLines(subjects, subjects.length, lineOf)].join('\n')
}

export function incidentText(occasion: Occasion, subjects: readonly Subject[]): string {
  const lines = firstLines(subjects, subjects.length, (one) => `• ${escaped(one.title)}`)
  const isCertain = subjects.some((one) => one.malicious)
  const what = isCertain ? 'malicious package' : 'package that an advisory waiting for a decision names'
  const many = isCertain ? 'malicious packages' : 'packages that advisories waiting for a decision name'
  const head = `*${count(subjects.length, what, many)} in ${place(occasion)}*`
  return [head, ...lines].join('\n')
}

export function scanBlockedText(occasion: Occasion, by: readonly { name: string }[]): string {
  return `*A scan of ${place(occasion)} was blocked* by ${by.map(({ name }) => escaped(name)).join(', ')}`
}

export function refusedText(subjects: readonly Subject[]): string {
  const [watched, refused] = [true, false].map((want) => subjects.filter((one) => (one.watched ?? false) === want))
  return [
    ...refusedLines(refused!, (many) => `The firewall refuses ${many}`),
    ...refusedLines(watched!, (many) => `The firewall only watches, and let in ${many}`),
  ].join('\n')
}

function refusedLines(subjects: readonly Subject[], head: (many: string) => string): string[] {
  if (subjects.length === 0) return []
  const lines = firstLines(subjects, subjects.length, (one) => `• ${escaped(one.title)}`)
  return [`*${head(count(subjects.length, 'package'))}*`, ...lines]
}

/** The line says all of it. */
export function exceptionText(subjects: readonly Subject[]): string {
  return subjects.map((one) => `*${escaped(one.title)}*`).join('\n')
}

export function expiringTokensText(tokens: readonly { name: string; owner: string; expiresAt: Date }[]): string {
  const lines = tokens
    .slice(0, mostLines)
    .map(({ name, owner, expiresAt }) => `• ${escaped(name)} of ${escaped(owner)}: ${expiresAt.toUTCString()}`)
  const more = tokens.length - lines.length
  const head = `*${count(tokens.length, 'token')} of service accounts ${tokens.length === 1 ? 'expires' : 'expire'} soon*`
  return [head, ...lines, ...(more > 0 ? [`… and ${more} more`] : [])].join('\n')
}

/** What an automation has to say about what it acts on. */
export function automationText(automation: string, occasion: Occasion, subjects: readonly Subject[], total: number) {
  const head = `*${escaped(automation)}*: ${count(total, 'match', 'matches')}`
  return [`${head}${occasion.repository ? ` in ${place(occasion)}` : ''}`, ...listed(subjects, total)].join('\n')
}

function listed(subjects: readonly Subject[], total: number): string[] {
  return firstLines(subjects, total, ({ severity, title, path }) => {
    const where = path ? ` (${escaped(path)})` : ''
    return `• ${word(severity, 'SEVERITY_')}: ${escaped(title)}${where}`
  })
}

/** Only those are looked at that are shown: there may be a quarter of a million. */
function firstLines(subjects: readonly Subject[], total: number, lineOf: (subject: Subject) => string): string[] {
  const shown = subjects.slice(0, mostLines).map(lineOf)
  return total > shown.length ? [...shown, `… and ${total - shown.length} more`] : shown
}

function place({ repository, ref, pullRequest }: Occasion): string {
  const name = escaped(repository?.name ?? 'the deployment')
  if (pullRequest > 0) return `${name}, pull request ${pullRequest}`
  return ref ? `${name}, ${escaped(ref)}` : name
}

function word(name: string, prefix: string): string {
  return escaped(name.replace(prefix, '').toLowerCase().replaceAll('_', ' ')) || 'finding'
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`
}
