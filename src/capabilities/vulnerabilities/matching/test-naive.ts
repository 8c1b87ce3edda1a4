import { findOsvEcosystem } from '../../../ecosystems/registry.ts'
import type { osv, TestEvent } from '../feeds/test-advisories.ts'

/** The evaluation algorithm of the OSV schema as it stands there, for one version at a time. */
export function isVulnerable(
  record: ReturnType<typeof osv>,
  ecosystem: string,
  name: string,
  version: string,
): boolean {
  if (record.withdrawn || version === '') return false
  const { compare, normalizeName } = findOsvEcosystem(ecosystem)!
  return record.affected.some((affected) => {
    if (affected.package.ecosystem !== ecosystem) return false
    if (normalizeName(affected.package.name) !== normalizeName(name)) return false
    if (affected.versions?.some((each) => compare(each, version) === 0)) return true
    return affected.ranges?.some(({ type, events }) => type !== 'GIT' && beforeLimits(events) && isInside(events))
  })

  function beforeLimits(events: TestEvent[]): boolean {
    const limits = events.flatMap(({ limit }) => limit ?? [])
    return limits.length === 0 || limits.some((limit) => limit === '*' || compare(version, limit) < 0)
  }

  function isInside(events: TestEvent[]): boolean {
    const at = ({ introduced, fixed, last_affected }: TestEvent) => introduced ?? fixed ?? last_affected ?? ''
    const isStart = (event: TestEvent) => event.introduced === '0'
    const sorted = events
      .filter((event) => event.limit === undefined)
      .toSorted((a, b) => Number(isStart(b)) - Number(isStart(a)) || (isStart(a) ? 0 : compare(at(a), at(b))))
    let inside = false
    for (const event of sorted) {
      if (event.introduced !== undefined && (isStart(event) || compare(version, event.introduced) >= 0)) inside = true
      else if (event.fixed !== undefined && compare(version, event.fixed) >= 0) inside = false
      else if (event.last_affected !== undefined && compare(version, event.last_affected) > 0) inside = false
    }
    return inside
  }
}
