import { formatSearch, type Pair } from '../app/address/address.ts'
import { spanOf } from '../app/address/period.ts'

const many = (name: string, values: readonly string[]): Pair[] => values.map((value) => [name, value])

/** A period, and what else the report was asked for: repositories, teams and tags, as they stand in its address. */
export type Span = { since: string; until?: string | undefined; more?: readonly Pair[] }
export type Stage = 'allFindings' | 'possiblyExploitable' | 'internetExposed' | 'priorityFindings'

const stageWords: Record<Stage, string> = {
  allFindings: 'all',
  possiblyExploitable: 'exploitable',
  internetExposed: 'exposed',
  priorityFindings: 'priority',
}

const of = ({ since, until, more = [] }: Span, pairs: readonly Pair[]): string =>
  formatSearch([['state', 'any'], ...pairs, ...more, ['raised', spanOf(since, until)]])

/** The findings behind a number of the funnel: exactly those it counts. */
export function stageLink(stage: Stage, product: string | undefined, span: Span): string {
  return of(span, [['stage', stageWords[stage]], ...many('part', product ? [product] : [])])
}

const figureWords = {
  silenced: 'silenced',
  open: 'open',
  fixed: 'fixed',
  ignored: 'ignored',
  provisionallyIgnored: 'provisionally-ignored',
  totalOpened: 'shown',
  totalFixed: 'all-fixed',
} as const
export type GuardrailsFigure = keyof typeof figureWords

/** The findings of pull requests that a number of the guardrails report counts. */
export function guardrailsLink(figure: GuardrailsFigure, span: Span): string {
  return of(span, [['guardrail', figureWords[figure]]])
}

/** All that was raised in a span, whatever became of it. */
function openedLink(span: Span): string {
  return of(span, [])
}

const happenings = {
  fixed: 'fixed',
  reopened: 'reopened',
  ignored: 'ignored',
  provisionallyIgnored: 'provisionally-ignored',
} as const

/** What a part of a bar of the activity report counts. */
export function activityLink(number: string, span: Span): string {
  if (!(number in happenings)) return openedLink(span)
  const { since, until, more = [] } = span
  const happened = happenings[number as keyof typeof happenings]
  return formatSearch([['state', 'any'], ['happened', happened], ...more, ['when', spanOf(since, until)]])
}

/** What is still to be done is what the funnel starts with. */
export function backlogLink(span: Span, more: readonly Pair[]): string {
  return of(span, [['stage', 'all'], ...more])
}

/** What stood on branches at a moment, neither fixed nor ignored. */
export function standingLink(at: string, more: readonly Pair[]): string {
  return formatSearch([['state', 'any'], ...more, ['at', at]])
}

/** What is fixed on branches, each thing once, and became so in a span. */
export function fixesLink({ since, until, more = [] }: Span): string {
  return formatSearch([['state', 'fixed'], ['prs', 'none'], ['once', 'yes'], ...more, ['fixed', spanOf(since, until)]])
}
