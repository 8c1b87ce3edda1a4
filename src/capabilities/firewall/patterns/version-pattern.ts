import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import { ecosystems } from '../../../ecosystems/registry.ts'
import {
  type Bound,
  contains,
  isVersion,
  type KeyInterval,
  lowerBound,
  upperBound,
} from '../../../ecosystems/version-range.ts'

/** What a rule says of versions, by the order of their ecosystem. */
export type VersionPattern = { kind: 'every' } | { kind: 'exact' | 'range'; intervals: readonly KeyInterval[] }
type Read = { text: string; pattern: VersionPattern } | { problem: string }
/**
 * What a version means that is named without an operator. To allow `2.0.1` is to allow what somebody looked at, and no `2.0.1+cu118` that is
 * published later; who denies it means its builds too. Operators are those of the ecosystem's tools: `=2.0.1` has the builds in it.
 */
type Named = 'alone' | 'with its builds'

const every: VersionPattern = { kind: 'every' }
const plain = /^[A-Za-z0-9][A-Za-z0-9.+!_~:-]*$/
const comparison = /(<=|>=|==|<|>|=)\s*([^\s,<>=|]+)\s*,?\s*/y
/** Where a version has three numbers, and fewer are a range to its tools. */
const threeNumbers: ReadonlySet<EcosystemId> = new Set(['npm', 'cargo', 'pub', 'swiftpm', 'hex'])
const bracketed: ReadonlySet<EcosystemId> = new Set(['maven', 'nuget'])
const mostIntervals = 20

const help =
  'must be one version, or a range of <, <=, >, >= and =, with a space for "and" and || for "or": >=4.0.0 <4.17.21 || 5.0.0'

/** A version, a range or '' for every version; or what is wrong with it: what is not understood must not look like a rule. */
export function readVersionPattern(ecosystem: EcosystemId, sent: string, named: Named = 'alone'): Read {
  const text = sent.trim().replace(/\s+/g, ' ')
  if (text === '' || text === '*') return { text: '', pattern: every }
  if (bracketed.has(ecosystem) && /^[[(]/.test(text)) return intervalsOf(text, readBrackets(ecosystem, text))
  if (!/[<>=|]/.test(text)) return readExact(ecosystem, text, named)
  const alternatives = text.split('||').map((each) => readAlternative(ecosystem, each.trim(), named))
  return intervalsOf(text, alternatives)
}

/** Of the stored form. What an earlier release took without understanding it is about a version of that very spelling. */
export function versionPattern(ecosystem: EcosystemId, version: string, named: Named = 'alone'): VersionPattern {
  const read = readVersionPattern(ecosystem, version, named)
  return 'pattern' in read ? read.pattern : { kind: 'exact', intervals: [only(ecosystem, version, named)] }
}

export function coversVersion(pattern: VersionPattern, key: Uint8Array): boolean {
  return pattern.kind === 'every' || pattern.intervals.some((interval) => contains(interval, key))
}

/** A version that is asked about, and the one that it is a build of. */
export type AskedVersion = { own: Uint8Array; whole: Uint8Array; isBuild: boolean }

export function askedVersion(ecosystem: EcosystemId, version: string): AskedVersion {
  const { orderKey, versionOfBuild } = ecosystems[ecosystem]
  const own = orderKey(version)
  const whole = versionOfBuild(version)
  return whole === version ? { own, whole: own, isBuild: false } : { own, whole: orderKey(whole), isBuild: true }
}

/** Whether it is let in by what was said of its version, or of this build alone. */
export function includesVersion(pattern: VersionPattern, asked: AskedVersion): boolean {
  return coversVersion(pattern, asked.whole) || namesBuild(pattern, asked)
}

/** A build has no place of its own in the order of versions, so it is named or not. */
export function namesBuild(pattern: VersionPattern, { own, isBuild }: AskedVersion): boolean {
  const isOwn = (bound: Bound | undefined) => bound?.inclusive === true && Buffer.compare(bound.key, own) === 0
  return (
    isBuild && pattern.kind !== 'every' && pattern.intervals.some(({ lower, upper }) => isOwn(lower) && isOwn(upper))
  )
}

function readExact(ecosystem: EcosystemId, text: string, named: Named): Read {
  const problem = problemOf(ecosystem, text)
  if (problem !== undefined) return { problem }
  if (threeNumbers.has(ecosystem) && !/^v?\d+\.\d+\.\d+/.test(text)) {
    return { problem: `must be a whole version such as 1.2.0; for all of ${text} write a range: >=1.2.0 <1.3.0` }
  }
  return { text, pattern: { kind: 'exact', intervals: [only(ecosystem, text, named)] } }
}

function problemOf(ecosystem: EcosystemId, version: string): string | undefined {
  return plain.test(version) && isVersion(ecosystems[ecosystem], version) ? undefined : help
}

function only(ecosystem: EcosystemId, version: string, named: Named): KeyInterval {
  if (named === 'with its builds') return compared(ecosystem, '=', version)
  const bound = lowerBound(ecosystems[ecosystem], version, true)
  return { lower: bound, upper: bound }
}

type Parsed = KeyInterval[] | string

/** Comparisons that all have to hold. */
function readAlternative(ecosystem: EcosystemId, text: string, named: Named): Parsed {
  if (text !== '' && !/[<>=]/.test(text)) {
    const read = readExact(ecosystem, text, named)
    return 'problem' in read ? read.problem : [only(ecosystem, text, named)]
  }
  let found: KeyInterval | undefined
  comparison.lastIndex = 0
  for (let at = 0; at < text.length; at = comparison.lastIndex) {
    comparison.lastIndex = at
    const [, operator, version] = comparison.exec(text) ?? []
    if (operator === undefined || version === undefined) return help
    const problem = problemOf(ecosystem, version)
    if (problem !== undefined) return problem
    found = both(found ?? {}, compared(ecosystem, operator, version))
  }
  return found ? [found] : help
}

function compared(ecosystem: EcosystemId, operator: string, version: string): KeyInterval {
  const isInclusive = operator !== '<' && operator !== '>'
  const lower = lowerBound(ecosystems[ecosystem], version, isInclusive)
  const upper = upperBound(ecosystems[ecosystem], version, isInclusive)
  if (operator.startsWith('<')) return { upper }
  return operator.startsWith('>') ? { lower } : { lower, upper }
}

/** `[1.0,2.0)`, `(,1.0]`, `[1.0]`, and several of them with commas between. */
function readBrackets(ecosystem: EcosystemId, text: string): Parsed[] {
  const parts = text.replaceAll(' ', '').split(/(?<=[\])]),/)
  return parts.map((part) => {
    const [, open, from, comma, to, close] = /^([[(])([^,()[\]]*)(,?)([^,()[\]]*)([\])])$/.exec(part) ?? []
    if (open === undefined) return 'must be a range such as [1.0,2.0), (,1.0] or [1.0]'
    if (!comma) return from && open === '[' && close === ']' ? bracket(ecosystem, from, true, from, true) : help
    return bracket(ecosystem, from!, open === '[', to!, close === ']')
  })
}

function bracket(ecosystem: EcosystemId, from: string, fromIn: boolean, to: string, toIn: boolean): Parsed {
  for (const version of [from, to]) {
    const problem = version === '' ? undefined : problemOf(ecosystem, version)
    if (problem !== undefined) return problem
  }
  if (from === '' && to === '') return 'names no version; leave the version out to mean every version'
  const rules = ecosystems[ecosystem]
  return [
    { ...(from && { lower: lowerBound(rules, from, fromIn) }), ...(to && { upper: upperBound(rules, to, toIn) }) },
  ]
}

function intervalsOf(text: string, parts: Parsed[]): Read {
  const problem = parts.find((part) => typeof part === 'string')
  if (typeof problem === 'string') return { problem }
  const intervals = (parts as KeyInterval[][]).flat()
  if (intervals.length > mostIntervals) return { problem: `must have at most ${mostIntervals} alternatives` }
  if (intervals.some(isEmpty)) return { problem: 'has a part that no version is in' }
  return { text, pattern: { kind: 'range', intervals } }
}

function both(a: KeyInterval, b: KeyInterval): KeyInterval {
  const lower = stricter(a.lower, b.lower, 1)
  const upper = stricter(a.upper, b.upper, -1)
  return { ...(lower && { lower }), ...(upper && { upper }) }
}

/** Of two lower bounds (1) the greater one counts, of two upper bounds (-1) the lesser; of equal ones, the one without its version. */
function stricter(a: Bound | undefined, b: Bound | undefined, direction: 1 | -1): Bound | undefined {
  if (!a || !b) return a ?? b
  const order = Buffer.compare(a.key, b.key) * direction
  if (order === 0) return a.inclusive ? b : a
  return order > 0 ? a : b
}

function isEmpty({ lower, upper }: KeyInterval): boolean {
  if (!lower || !upper) return false
  const order = Buffer.compare(lower.key, upper.key)
  return order > 0 || (order === 0 && !(lower.inclusive && upper.inclusive))
}
