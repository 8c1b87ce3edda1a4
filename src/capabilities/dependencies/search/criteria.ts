import type { Ecosystem } from '../../../ecosystems/ecosystem.ts'
import { ecosystems, findEcosystem } from '../../../ecosystems/registry.ts'
import { Fault, type FieldError } from '../../../kernel/contract/fault.ts'
import { createYield } from '../../../kernel/threads/event-loop-yield.ts'
import type { Criterion, Interval, PackageCriteria } from '../../inventory/public.ts'
import type { DependencyFilter, PackageFilter } from '../contract.ts'
import { equalTo, everyVersion, intersect, isEmpty, oneSide } from './version-interval.ts'

/**
 * Undefined where the filter takes every package. Throws naming each part of the filter that cannot be. Takes turns with others,
 * since a thousand parts are versions in as many orders as there are ecosystems.
 */
export async function packageCriteria(filter: DependencyFilter): Promise<PackageCriteria | undefined> {
  const { name = '', version = '', packageFilters = [], ecosystem = [] } = filter
  if (name === '' && version === '' && packageFilters.length === 0 && ecosystem.length === 0) return undefined
  requireFewCharacters(packageFilters)
  const rules = rulesOf(ecosystem)
  const whole = (each: Ecosystem) => (version === '' ? everyVersion : equalTo(each, version))
  const criteria: Criterion[] = []
  const errors: Errors = { malformed: [], impossible: [] }
  if (packageFilters.length === 0) {
    for (const each of rules) criteria.push(criterion(each, name, false, whole(each)))
  }
  const breath = createYield()
  for (const [index, part] of packageFilters.entries()) {
    await breath()
    const pointer = `/dependencyFilter/packageFilters/${index}`
    for (const { each, interval } of intervalsOf(part, rules, pointer, errors)) {
      const both = intersect(interval, whole(each))
      if (!isEmpty(both)) criteria.push(criterion(each, part.name ?? '', part.exactNameMatch ?? false, both))
    }
  }
  refuse(errors)
  return {
    criteria,
    nameContains: packageFilters.length === 0 ? '' : name.toLowerCase(),
    narrowsVersions: version !== '' || packageFilters.some(narrows),
  }
}

/** Of versions and bounds together: each goes along in the order of each ecosystem, and that is some thousand of them. */
const mostCharacters = 50_000

function requireFewCharacters(filters: readonly PackageFilter[]): void {
  let characters = 0
  for (const { exactVersion = '', versionLowerBound = '', versionUpperBound = '' } of filters) {
    characters += exactVersion.length + versionLowerBound.length + versionUpperBound.length
  }
  if (characters <= mostCharacters) return
  const detail = `may have ${mostCharacters} characters of versions and bounds in all, has ${characters}`
  const errors = [{ pointer: '/dependencyFilter/packageFilters', detail }]
  throw new Fault('validation_failed', 'The filter is too long.', { errors })
}

type Errors = { malformed: FieldError[]; impossible: FieldError[] }
type Bounded = { each: Ecosystem; interval: Interval }

function rulesOf(ids: readonly string[]): Ecosystem[] {
  if (ids.length === 0) return Object.values(ecosystems)
  return [...new Set(ids.map((id) => findEcosystem(id)).filter((each) => each !== undefined))]
}

function criterion(each: Ecosystem, name: string, exact: boolean, { lower, upper }: Interval): Criterion {
  // An exact search for no name at all is one for every name.
  const byName = exact && name !== ''
  return {
    ecosystem: each.id,
    name: byName ? each.normalizeName(name) : name.toLowerCase(),
    exact: byName,
    lower,
    upper,
  }
}

function narrows({ exactVersion, versionLowerBound, versionUpperBound }: PackageFilter): boolean {
  return Boolean(exactVersion || versionLowerBound || versionUpperBound)
}

/** The versions that a part of the filter asks for, in the order of each ecosystem that knows its bounds. */
function intervalsOf(part: PackageFilter, rules: readonly Ecosystem[], pointer: string, errors: Errors): Bounded[] {
  const { name = '', exactVersion = '', versionLowerBound: lower = '', versionUpperBound: upper = '' } = part
  if (name === '' && !narrows(part)) {
    errors.malformed.push({ pointer, detail: 'asks for nothing: give a name, a version or a bound' })
    return []
  }
  if (exactVersion !== '') return rules.map((each) => ({ each, interval: equalTo(each, exactVersion) }))
  const below = sideOf(rules, 'lower', lower, `${pointer}/versionLowerBound`, errors)
  const above = sideOf(rules, 'upper', upper, `${pointer}/versionUpperBound`, errors)
  if (!below || !above) return []
  const both = rules.flatMap((each) => {
    const [from, to] = [below.get(each), above.get(each)]
    return from && to ? [{ each, interval: intersect(from, to) }] : []
  })
  const possible = both.filter(({ interval }) => !isEmpty(interval))
  if (possible.length === 0) {
    const detail = `'${upper}' leaves no version at or above the lower bound '${lower}'`
    errors.impossible.push({ pointer: `${pointer}/versionUpperBound`, detail })
  }
  return possible
}

/** Undefined where the bound is refused. */
function sideOf(
  rules: readonly Ecosystem[],
  side: 'lower' | 'upper',
  text: string,
  pointer: string,
  errors: Errors,
): Map<Ecosystem, Interval> | undefined {
  const sides = new Map<Ecosystem, Interval>()
  for (const each of rules) {
    const found = text === '' ? { interval: everyVersion } : oneSide(each, side, text)
    if (found === 'unreadable') continue
    if ('problem' in found) {
      errors.malformed.push({ pointer, detail: found.problem })
      return undefined
    }
    sides.set(each, found.interval)
  }
  if (sides.size > 0) return sides
  errors.impossible.push({ pointer, detail: `'${text}' is not a version in any of the ecosystems asked for` })
  return undefined
}

function refuse({ malformed, impossible }: Errors): void {
  if (malformed.length > 0) {
    throw new Fault('validation_failed', 'The filter cannot be read.', { errors: malformed.slice(0, 100) })
  }
  if (impossible.length > 0) {
    throw new Fault('unprocessable', 'No version can match the filter.', { errors: impossible.slice(0, 100) })
  }
}
