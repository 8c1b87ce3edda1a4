import { readAssignees } from '../../../domain/assignees.ts'
import * as codes from '../../../domain/finding-codes.ts'
import { writtenAs } from '../../../domain/vulnerability-id.ts'
import * as names from '../../../domain/wire-names.ts'
import { plainWeakness } from '../../../formats/sarif/classify/weakness.ts'
import type { Actor } from '../../../kernel/access/actor.ts'
import { Fault, type FieldError } from '../../../kernel/contract/fault.ts'
import { openPeriod } from '../../../kernel/time/open-period.ts'
import type { FindingCriteria } from './conditions.ts'
import type { FindingFilter, FindingFilterParts } from './filter.ts'

/** A filter in the words of the tables. */
export function readFilter(actor: Actor, { not, ...filter }: FindingFilter): FindingCriteria {
  const errors: FieldError[] = []
  const wanted = readParts(actor, filter, '/filter', errors)
  const excluded = not && readParts(actor, not, '/filter/not', errors)
  if (errors.length > 0) throw new Fault('validation_failed', 'A period ends before it starts.', { errors })
  return { ...wanted, not: excluded }
}

function readParts(actor: Actor, filter: FindingFilterParts, pointer: string, errors: FieldError[]): FindingCriteria {
  const raised = openPeriod(filter.raisedAt, `${pointer}/raisedAt`, errors)
  const fixed = openPeriod(filter.fixedAt, `${pointer}/fixedAt`, errors)
  const happenedAt = openPeriod(filter.happenedAt, `${pointer}/happenedAt`, errors)
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
    vulnerabilityIds: filter.vulnerabilityIds?.flatMap(writtenAs),
    pathPrefix: filter.pathPrefix,
    text: filter.text,
    raised,
    fixed,
    happened: filter.happened,
    happenedAt,
    standingAt: filter.standingAt === undefined ? undefined : new Date(filter.standingAt),
    findingIds: filter.findingIds?.map(Number),
    teams: filter.teams,
    publiclyExposed: filter.publiclyExposed,
    archived: filter.archived,
    stage: filter.stage,
    stageProduct: filter.stageProduct,
    guardrailsFigure: filter.guardrailsFigure,
    scanIds: filter.scanIds?.map(Number),
    dependency: filter.dependency,
    deciders: filter.decidedBy?.map(names.deciderNames.code),
    hasTicket: filter.hasTicket,
    overdue: filter.overdue,
    assignees: readAssignees(filter.assignees, actor),
    owasp: filter.owasp,
    paths: filter.paths,
    firstVulnerabilityIds: filter.firstVulnerabilityIds,
    not: undefined,
  }
}
