import { type Pair, valuesOf } from './address.ts'

type Base = { key: string; label: string; wire: string; pinned?: boolean }
/** `words`: any of a fixed set. `texts`: any of what people call them. `choice`: one of a set. */
export type Field = Base &
  (
    | { kind: 'words'; values: readonly Value[]; fallback?: readonly string[] }
    // `blank` names the empty text, where it is a value like any other; `fits` is what the API takes at all.
    | { kind: 'texts'; blank?: string; fits?: RegExp }
    | { kind: 'package' }
    | { kind: 'choice'; values: readonly Value[] }
    | { kind: 'text' }
    | { kind: 'number' }
    | { kind: 'flag' }
    | { kind: 'period' }
    | { kind: 'moment' }
  )
export type Value = { word: string; wire: string; label: string }

export type Filter = Record<string, unknown>
export type Read = { filter: Filter; lost: Pair[] }

/** In place of the fallback of a field: all of its values. */
const all = 'any'

/** What an address asks for, in the words of the API. What is not understood is kept and named. */
export function readFilter(fields: readonly Field[], pairs: readonly Pair[], reserved: readonly string[] = []): Read {
  const filter: Filter = {}
  const lost: Pair[] = []
  const known = new Set([...fields.map((field) => field.key), ...reserved])
  for (const pair of pairs) if (!known.has(pair[0])) lost.push(pair)
  for (const field of fields) {
    const given = valuesOf(pairs, field.key)
    const { value, wrong } = readField(field, given)
    for (const each of wrong) lost.push([field.key, each])
    if (value !== undefined) filter[field.wire] = value
  }
  return { filter, lost }
}

function readField(field: Field, given: readonly string[]): { value: unknown; wrong: string[] } {
  const [first, ...more] = given
  const none = { value: undefined, wrong: [] }
  switch (field.kind) {
    case 'words': {
      if (given.includes(all)) return { value: undefined, wrong: given.filter((word) => word !== all) }
      const wires = given.map((word) => field.values.find((value) => value.word === word)?.wire)
      const wrong = given.filter((_, index) => wires[index] === undefined)
      const kept = [...new Set(wires.filter((wire) => wire !== undefined))]
      if (kept.length > 0) return { value: kept, wrong }
      return { value: wiresOf(field.values, field.fallback), wrong }
    }
    case 'texts': {
      const { fits = /^/ } = field
      const kept = [...new Set(field.blank ? given : given.filter(Boolean))].filter((text) => fits.test(text))
      return { value: kept.length > 0 ? kept : undefined, wrong: given.filter((text) => !fits.test(text)) }
    }
    case 'choice': {
      if (first === undefined) return none
      const wire = field.values.find((value) => value.word === first)?.wire
      return { value: wire, wrong: wire === undefined ? [...given] : more }
    }
    case 'text':
      return { value: first || undefined, wrong: more }
    case 'package':
      return { value: first ? readPackage(first) : undefined, wrong: more }
    case 'number': {
      if (first === undefined) return none
      const fits = /^[1-9][0-9]{0,9}$/.test(first)
      return { value: fits ? Number(first) : undefined, wrong: fits ? more : [...given] }
    }
    case 'flag': {
      if (first === undefined) return none
      const fits = first === 'yes' || first === 'no'
      return { value: fits ? first === 'yes' : undefined, wrong: fits ? more : [...given] }
    }
    case 'moment': {
      if (first === undefined) return none
      const fits = isTime(first)
      return { value: fits ? moment(first) : undefined, wrong: fits ? more : [...given] }
    }
    case 'period': {
      if (first === undefined) return none
      const value = readPeriod(first)
      return { value, wrong: value === undefined ? [...given] : more }
    }
  }
}

function wiresOf(values: readonly Value[], words: readonly string[] | undefined): string[] | undefined {
  return words?.map((word) => values.find((value) => value.word === word)!.wire)
}

const isoDay = /^\d{4}-\d{2}-\d{2}$/
const moment = (day: string): string => (isoDay.test(day) ? `${day}T00:00:00.000Z` : day)
const dayOrMoment = (at: string): string => (at.endsWith('T00:00:00.000Z') ? at.slice(0, 10) : at)
const isTime = (text: string): boolean =>
  (isoDay.test(text) || /^\d{4}-\d{2}-\d{2}T[0-9:.]+Z$/.test(text)) && !Number.isNaN(Date.parse(text))

/** `2026-05-01..2026-06-01`; either side may be missing. */
function readPeriod(text: string): { since?: string; until?: string } | undefined {
  const parts = text.split('..')
  if (parts.length !== 2 || parts.some((part) => part !== '' && !isTime(part))) return undefined
  const [since, until] = parts as [string, string]
  if (!since && !until) return undefined
  return { ...(since && { since: moment(since) }), ...(until && { until: moment(until) }) }
}

export type Package = { name: string; ecosystem?: string }

/** `npm:lodash`; `lodash` of any ecosystem, `*:a:b` where its name would look like an ecosystem's. */
function readPackage(text: string): Package {
  const at = text.indexOf(':')
  if (at < 0 || at === text.length - 1) return { name: text }
  const ecosystem = text.slice(0, at)
  const name = text.slice(at + 1)
  return ecosystem === '*' ? { name } : { name, ecosystem }
}

export function writePackage({ name, ecosystem }: Package): string {
  if (ecosystem !== undefined) return `${ecosystem}:${name}`
  return name.includes(':') ? `*:${name}` : name
}

/** The words for an address, as few as will do: what is the default is left out. */
export function writeFilter(fields: readonly Field[], filter: Filter): Pair[] {
  return fields.flatMap((field) => wordsOf(field, filter[field.wire]).map((word): Pair => [field.key, word]))
}

function wordsOf(field: Field, value: unknown): string[] {
  if (value === undefined) return field.kind === 'words' && field.fallback ? [all] : []
  switch (field.kind) {
    case 'words': {
      const words = field.values.filter((each) => (value as string[]).includes(each.wire)).map((each) => each.word)
      const { fallback } = field
      const isDefault = fallback && words.length === fallback.length && words.every((word) => fallback.includes(word))
      return isDefault ? [] : words
    }
    case 'texts':
      return value as string[]
    case 'choice':
      return field.values.filter((each) => each.wire === value).map((each) => each.word)
    case 'package':
      return [writePackage(value as Package)]
    case 'text':
    case 'number':
      return [String(value)]
    case 'flag':
      return [value ? 'yes' : 'no']
    case 'moment':
      return [dayOrMoment(String(value))]
    case 'period': {
      const { since = '', until = '' } = value as { since?: string; until?: string }
      return [`${dayOrMoment(since)}..${dayOrMoment(until)}`]
    }
  }
}
