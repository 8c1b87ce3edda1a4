import type { EcosystemId } from '../../ecosystems/ecosystem.ts'
import { findOsvEcosystem } from '../../ecosystems/registry.ts'
import type { OsvEvent, OsvRange } from '../../ecosystems/version-range.ts'
import { storableText } from '../../kernel/text/storable-text.ts'
import { elements, isObject, member, text } from '../json/safe-json.ts'
import { fatalProblem, quote, type ReadResult } from '../problem.ts'

/** What Gatehouse takes from an OSV record (https://ossf.github.io/osv-schema/). */
export type OsvRecord = {
  id: string
  /** RFC 3339 as written. */
  modified: string
  published: string
  /** '' unless it was taken back. */
  withdrawn: string
  aliases: string[]
  summary: string
  details: string
  severities: { type: string; score: string }[]
  /** What the database itself calls it, for example `HIGH`; of its packages, where it says nothing of the whole. */
  databaseSeverities: string[]
  references: string[]
  /** For example `CWE-506`. */
  weaknesses: string[]
  /** Of the ecosystems that Gatehouse knows. */
  packages: OsvPackage[]
}

export type OsvPackage = {
  ecosystem: EcosystemId
  /** Normalised by the rules of the ecosystem. */
  name: string
  ranges: OsvRange[]
  versions: string[]
}

const longestId = 200
const longestName = 1000
const longestVersion = 1000
const longestText = 65_536
const mostReferences = 1000

/** Checks what verdicts are made of; anything else about a record may be as odd as it likes. */
export function readRecord(value: unknown): ReadResult<OsvRecord> {
  const id = text(value, 'id')
  if (!/^[!-~]+$/.test(id) || id.length > longestId) return wrong('', 'The record has no usable id.', '/id')
  const modified = text(value, 'modified')
  if (!isTime(modified)) return wrong(id, 'its time of modification is missing or none', '/modified')
  const withdrawn = member(value, 'withdrawn') ?? ''
  if (typeof withdrawn !== 'string' || (withdrawn !== '' && !isTime(withdrawn))) {
    return wrong(id, 'its time of withdrawal is none', '/withdrawn')
  }
  const affected = member(value, 'affected') ?? []
  if (!Array.isArray(affected)) return wrong(id, 'affected is not a list', '/affected')
  const packages: OsvPackage[] = []
  for (const [at, entry] of affected.entries()) {
    const read = readAffected(entry)
    if (read === 'elsewhere') continue
    if (typeof read === 'string') return wrong(id, read, `/affected/${at}`)
    packages.push(read)
  }
  return { value: { ...described(value), id, modified, withdrawn, packages } }
}

function described(value: unknown) {
  const own = member(value, 'database_specific')
  const entries = elements(member(value, 'affected'))
  const affected = entries.map((entry) => member(entry, 'database_specific'))
  const inEcosystems = entries.map((entry) => member(entry, 'ecosystem_specific'))
  return {
    published: text(value, 'published'),
    aliases: strings(member(value, 'aliases')).filter((alias) => alias.length <= longestId),
    summary: prose(value, 'summary'),
    details: prose(value, 'details'),
    severities: firstSaid([[value], entries], severitiesOf),
    databaseSeverities: firstSaid([[own], [...affected, ...inEcosystems]], (each) =>
      [text(each, 'severity')].filter(Boolean),
    ),
    references: elements(member(value, 'references'))
      .slice(0, mostReferences)
      .map((each) => text(each, 'url'))
      .filter(Boolean),
    weaknesses: [...new Set([own, ...affected].flatMap(weaknessesOf))],
  }
}

/** What the whole says, or else its packages: the schema has it in one of the two places. */
function firstSaid<Said>(places: readonly (readonly unknown[])[], read: (place: unknown) => Said[]): Said[] {
  return places.map((place) => place.flatMap(read)).find((said) => said.length > 0) ?? []
}

function severitiesOf(place: unknown): OsvRecord['severities'] {
  return elements(member(place, 'severity')).map((each) => ({ type: text(each, 'type'), score: text(each, 'score') }))
}

/** Databases write them as `cwe_ids: ['CWE-506']` or as `cwes: [{ cweId: 'CWE-506' }]`. */
function weaknessesOf(specific: unknown): string[] {
  const listed = strings(member(specific, 'cwe_ids'))
  return [...listed, ...elements(member(specific, 'cwes')).map((each) => text(each, 'cweId'))].filter(Boolean)
}

/** A package, 'elsewhere' for one of an ecosystem we do not know, or what is wrong with it. */
function readAffected(entry: unknown): OsvPackage | string {
  if (!isObject(entry)) return 'an affected entry is not an object'
  const named = member(entry, 'package')
  // Allowed by the schema: such an entry is about commits of a repository.
  if (named === undefined) return 'elsewhere'
  const ecosystem = findOsvEcosystem(text(named, 'ecosystem'))
  if (!ecosystem) return text(named, 'ecosystem') ? 'elsewhere' : 'a package has no ecosystem'
  const name = ecosystem.normalizeName(text(named, 'name'))
  if (name === '' || name.length > longestName || !isPlain(name)) return 'a package has no usable name'
  const versions = member(entry, 'versions') ?? []
  if (!Array.isArray(versions) || !versions.every(isVersion)) return 'versions is not a list of versions'
  const ranges = readRanges(member(entry, 'ranges') ?? [])
  if (!ranges) return 'ranges is not a list of ranges with events'
  return { ecosystem: ecosystem.id, name, ranges, versions }
}

function readRanges(value: unknown): OsvRange[] | undefined {
  if (!Array.isArray(value)) return undefined
  const ranges: OsvRange[] = []
  for (const range of value) {
    const events = member(range, 'events')
    if (!Array.isArray(events) || text(range, 'type') === '') return undefined
    const read = events.map(readEvents)
    if (read.some((found) => found.length === 0)) return undefined
    ranges.push({ type: text(range, 'type'), events: read.flat() })
  }
  return ranges
}

const eventKinds = ['introduced', 'fixed', 'last_affected', 'limit'] as const

/** The schema has one event to an object; where somebody wrote the start and the end into one, both count. */
function readEvents(event: unknown): OsvEvent[] {
  const kinds = eventKinds.filter((each) => member(event, each) !== undefined)
  const read = kinds.map((kind) => ({ [kind]: member(event, kind) }) as OsvEvent)
  return read.every((one) => Object.values(one).every(isVersion)) ? read : []
}

function isVersion(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= longestVersion && isPlain(value)
}

/** No database keeps NUL or half a character, and no package has them. */
function isPlain(value: string): boolean {
  return value.isWellFormed() && !value.includes('\0')
}

function prose(value: unknown, key: string): string {
  return storableText(text(value, key), longestText)
}

function isTime(value: string): boolean {
  return (
    /^(?!0000)\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(value) &&
    !Number.isNaN(Date.parse(value))
  )
}

function strings(value: unknown): string[] {
  return elements(value).filter((each) => typeof each === 'string')
}

function wrong(id: string, detail: string, pointer: string): ReadResult<OsvRecord> {
  return { problem: fatalProblem('not-osv', id ? `${quote(id)}: ${detail}.` : detail, 0, pointer) }
}
