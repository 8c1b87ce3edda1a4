import type { Ecosystem } from './ecosystem.ts'
import { unreadable } from './order-key.ts'

/** One end of a range, for an index scan on the order key. */
export type Bound = { readonly key: Uint8Array; readonly inclusive: boolean }
/** A side left out is open. */
export type KeyInterval = { readonly lower?: Bound; readonly upper?: Bound }
/** 'unreadable': well written, but not a version of the ecosystem. */
export type BoundResult = { readonly bound: Bound } | { readonly problem: string } | 'unreadable'

const versionCharacters = /^[A-Za-z0-9][A-Za-z0-9.+!_~^:-]*$/
const wildcard = /(^|\.)[xX*](\.|$)/

/** Whether it is a version there. Every text has a key, so what is none (`4.17.x`, `4,17,21`) would quietly be a bound somewhere. */
export function isVersion(ecosystem: Ecosystem, text: string): boolean {
  if (!versionCharacters.test(text) || wildcard.test(text)) return false
  return ecosystem.orderKey(text)[0] !== unreadable
}

const operators = { lower: ['>=', '>'], upper: ['<=', '<'] } as const

/** A bound as people write it: `>=1.0.0`, `>1`, `<2.0.0`, `<=2`, or bare, which includes the version itself. */
export function parseBound(ecosystem: Ecosystem, side: 'lower' | 'upper', text: string): BoundResult {
  const trimmed = text.trim()
  const operator = /^[<>=!~^]*/.exec(trimmed)![0]
  const version = trimmed.slice(operator.length).trim()
  const [inclusive, exclusive] = operators[side]
  if (operator !== '' && operator !== inclusive && operator !== exclusive) {
    return { problem: `'${text}' cannot be the ${side} bound: use ${inclusive}, ${exclusive} or the version alone.` }
  }
  if (version === '') return { problem: `'${text}' names no version.` }
  // Maven, Composer and distributions order words too, but nobody means one by a bound.
  if (!/[0-9]/.test(version) || !isVersion(ecosystem, version)) return 'unreadable'
  const boundOf = side === 'lower' ? lowerBound : upperBound
  return { bound: boundOf(ecosystem, version, operator !== exclusive) }
}

/** Builds of a version belong to it: from it on they are there, above it they are not. */
export function lowerBound(ecosystem: Ecosystem, version: string, inclusive: boolean): Bound {
  return { key: inclusive ? ecosystem.orderKey(version) : ecosystem.lastBuildKey(version), inclusive }
}

/** Up to a version its builds are there, below it they are not. */
export function upperBound(ecosystem: Ecosystem, version: string, inclusive: boolean): Bound {
  return { key: inclusive ? ecosystem.lastBuildKey(version) : ecosystem.orderKey(version), inclusive }
}

export function contains(interval: KeyInterval, key: Uint8Array): boolean {
  const { lower, upper } = interval
  if (lower && Buffer.compare(key, lower.key) < (lower.inclusive ? 0 : 1)) return false
  return !upper || Buffer.compare(key, upper.key) < (upper.inclusive ? 1 : 0)
}

/** Whether any of the intervals has a key: for many keys, which would otherwise be put to each interval. */
export function createCover(intervals: readonly KeyInterval[]): (key: Uint8Array) => boolean {
  const sorted = [...intervals].sort((a, b) => Buffer.compare(a.lower?.key ?? start, b.lower?.key ?? start))
  /** Of those up to each: the one that ends last. */
  const furthest: KeyInterval[] = []
  for (const [at, interval] of sorted.entries()) {
    const before = furthest[at - 1]
    furthest.push(before && endsAfter(before, interval) ? before : interval)
  }
  return (key) => {
    let [from, to] = [0, sorted.length]
    while (from < to) {
      const middle = (from + to) >>> 1
      if (Buffer.compare(sorted[middle]!.lower?.key ?? start, key) <= 0) from = middle + 1
      else to = middle
    }
    const last = furthest[from - 1]
    return last !== undefined && contains(last.upper ? { upper: last.upper } : {}, key)
  }
}

const start = new Uint8Array()

function endsAfter({ upper: a }: KeyInterval, { upper: b }: KeyInterval): boolean {
  if (!a || !b) return !a
  const order = Buffer.compare(a.key, b.key)
  return order > 0 || (order === 0 && a.inclusive)
}

/** `affected[].ranges[]` of an OSV record, as far as versions are concerned. */
export type OsvRange = { readonly type: string; readonly events: readonly OsvEvent[] }
export type OsvEvent = {
  readonly introduced?: string | undefined
  readonly fixed?: string | undefined
  readonly last_affected?: string | undefined
  readonly limit?: string | undefined
}
export type OsvAffected = {
  readonly ranges?: readonly OsvRange[] | undefined
  readonly versions?: readonly string[] | undefined
}

/** All versions an OSV record names: its SEMVER and ECOSYSTEM ranges, and the listed versions as intervals of one and its builds. */
export function affectedIntervals(ecosystem: Ecosystem, affected: OsvAffected): KeyInterval[] {
  const ranges = affected.ranges?.flatMap((range) => rangeIntervals(ecosystem, range)) ?? []
  const versions = affected.versions?.map(
    (version): KeyInterval => ({
      lower: lowerBound(ecosystem, version, true),
      upper: upperBound(ecosystem, version, true),
    }),
  )
  return [...ranges, ...(versions ?? [])]
}

/** In the order of `key`; `end` is where the affected part ends with it. */
type Turn = {
  readonly kind: 'introduced' | 'fixed' | 'last_affected'
  readonly key?: Uint8Array
  readonly end?: Uint8Array
}

/**
 * OSV schema, "Evaluation": the events in version order open and close the affected part, and nothing from the last limit on
 * belongs to it. Commits (GIT) have no order here.
 */
function rangeIntervals(ecosystem: Ecosystem, range: OsvRange): KeyInterval[] {
  if (range.type !== 'SEMVER' && range.type !== 'ECOSYSTEM') return []
  let intervals: KeyInterval[] = []
  const limit = lastLimit(ecosystem, range.events)
  let open: { lower?: Bound } | undefined
  for (const { kind, key, end } of turnsInOrder(ecosystem, range.events)) {
    if (kind === 'introduced') open ??= key ? { lower: { key, inclusive: true } } : {}
    else if (end) {
      // A version that is called both the last affected one and fixed is fixed.
      if (kind === 'fixed') cutLast(intervals, end)
      if (open) intervals.push({ ...open, upper: { key: end, inclusive: kind === 'last_affected' } })
      open = undefined
    }
  }
  if (open) intervals.push(open)
  if (limit) intervals = intervals.map((interval) => cut(interval, limit))
  return intervals.filter((interval) => !isEmpty(interval))
}

/** Undefined where there is none, or one that is not a limit: `*` stands for the time after every version. */
function lastLimit(ecosystem: Ecosystem, events: readonly OsvEvent[]): Uint8Array | undefined {
  const limits = events.flatMap(({ limit }) => (limit === undefined ? [] : [limit]))
  if (limits.length === 0 || limits.includes('*')) return undefined
  return limits.map((limit) => ecosystem.orderKey(limit)).reduce((a, b) => (Buffer.compare(a, b) < 0 ? b : a))
}

/** In version order only the last ones reach to the key; what was cut there once has none before it that was not. */
function cutLast(intervals: KeyInterval[], key: Uint8Array): void {
  for (let at = intervals.length - 1; at >= 0; at--) {
    const { upper } = intervals[at]!
    if (!upper?.inclusive || Buffer.compare(upper.key, key) < 0) return
    intervals[at] = cut(intervals[at]!, key)
  }
}

function cut({ lower, upper }: KeyInterval, limit: Uint8Array): KeyInterval {
  const ends = upper && Buffer.compare(upper.key, limit) < 0 ? upper : { key: limit, inclusive: false }
  return { ...(lower && { lower }), upper: ends }
}

function turnsInOrder(ecosystem: Ecosystem, events: readonly OsvEvent[]): Turn[] {
  const turns = events.flatMap((event): Turn[] => {
    if (event.introduced !== undefined) {
      // "0" stands for the time before any version, not for a version 0.
      return [{ kind: 'introduced', ...(event.introduced !== '0' && { key: ecosystem.orderKey(event.introduced) }) }]
    }
    const { fixed, last_affected: last } = event
    if (fixed !== undefined) return [{ kind: 'fixed', key: ecosystem.orderKey(fixed), end: ecosystem.orderKey(fixed) }]
    if (last === undefined) return []
    return [{ kind: 'last_affected', key: ecosystem.orderKey(last), end: ecosystem.lastBuildKey(last) }]
  })
  return turns.sort((a, b) => Buffer.compare(a.key ?? start, b.key ?? start))
}

function isEmpty({ lower, upper }: KeyInterval): boolean {
  return !!lower && !!upper && !upper.inclusive && Buffer.compare(lower.key, upper.key) >= 0
}
