import * as codes from '../../../domain/finding-codes.ts'
import * as names from '../../../domain/wire-names.ts'
import { plainWeakness } from '../../../formats/sarif/classify/weakness.ts'
import { Fault, type FieldError } from '../../../kernel/contract/fault.ts'
import { openPeriod } from '../../../kernel/time/open-period.ts'
import type { FindingCriteria } from './conditions.ts'
import type { FindingFilter } from './filter.ts'

/** A filter in the words of the tables. */
export function readFilter(filter: FindingFilter): FindingCriteria {
  const errors: FieldError[] = []
  const raised = openPeriod(filter.raisedAt, '/filter/raisedAt', errors)
  const fixed = openPeriod(filter.fixedAt, '/filter/fixedAt', errors)
  if (errors.length > 0) throw new Fault('validation_failed', 'A period ends before it starts.', { errors })
  return {
    states: filter.triageStates?.map(names.stateNames.code),
    reasons: filter.triageReasons?.map(names.reasonNames.code),
    severities: filter.severities?.map(names.severityNames.code),
    products: filter.products?.map(names.productNames.code),
    confidences: filter.confidences?.map(names.confidenceNames.code),
    reachabilities: filter.reachabilities?.map(names.reachabilityNames.code),
    validities: filter.validities?.map(names.validityNames.code),
    categories: filter.categories?.map(codes.category.code),
    repositoryIds: filter.repositoryIds?.map(Number),
    repositories: filter.repositories,
    tags: filter.tags,
    refs: filter.refs,
    pullRequests: filter.pullRequests,
    pullRequest: filter.pullRequest,
    once: filter.once || undefined,
    silenced: filter.silenced,
    malicious: filter.malicious,
    sources: filter.sources,
    ruleIds: filter.ruleIds,
    cwes: filter.cwes?.map(plainWeakness),
    vulnerabilityIds: filter.vulnerabilityIds?.flatMap(writings),
    pathPrefix: filter.pathPrefix,
    text: filter.text,
    raised,
    fixed,
  }
}

/** As it was sent, and as the ids of most sources are written: CVE-2024-1 for cve-2024-1, GHSA-9wv6-… for ghsa-9WV6-…. */
function writings(given: string): string[] {
  const id = given.trim()
  const usual = /^ghsa-/i.test(id) ? `GHSA${id.slice(4).toLowerCase()}` : id.toUpperCase()
  return given === usual ? [given] : [given, usual]
}
