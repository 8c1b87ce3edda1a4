import { formatSearch, type Pair } from '../app/address.ts'
import { spanOf } from '../app/period.ts'

/** What the funnel starts with: neither fixed nor ignored. */
const unsettled = ['open', 'reopened', 'reviewing', 'fixing', 'provisionally-ignored']
const many = (name: string, values: readonly string[]): Pair[] => values.map((value) => [name, value])

export type Span = { since: string; until?: string | undefined }
export type Stage = 'allFindings' | 'possiblyExploitable' | 'internetExposed' | 'priorityFindings'

const stageWords: Record<Stage, string> = {
  allFindings: 'all',
  possiblyExploitable: 'exploitable',
  internetExposed: 'exposed',
  priorityFindings: 'priority',
}

/** The findings behind a number of the funnel: exactly those it counts. */
export function stageLink(stage: Stage, product: string | undefined, { since, until }: Span): string {
  return formatSearch([
    ['state', 'any'],
    ['stage', stageWords[stage]],
    ...many('part', product ? [product] : []),
    ['raised', spanOf(since, until)],
  ])
}

export type Standing = 'silenced' | 'open' | 'fixed' | 'ignored' | 'provisionallyIgnored'
const standingStates: Record<Standing, string[]> = {
  silenced: ['any'],
  open: [],
  fixed: ['fixed'],
  ignored: ['ignored'],
  provisionallyIgnored: ['provisionally-ignored'],
}

/** The findings of pull requests that a part of a bar of the guardrails report counts. */
export function guardrailsLink(standing: Standing, { since, until }: Span): string {
  return formatSearch([
    ...many('state', standingStates[standing]),
    ['prs', 'only'],
    ['silenced', standing === 'silenced' ? 'yes' : 'no'],
    ['raised', spanOf(since, until)],
  ])
}

/** All that was raised in a span, whatever became of it. */
export function openedLink({ since, until }: Span): string {
  return formatSearch([
    ['state', 'any'],
    ['raised', spanOf(since, until)],
  ])
}

export function backlogLink({ since, until }: Span, more: readonly Pair[]): string {
  return formatSearch([...many('state', unsettled), ...more, ['raised', spanOf(since, until)]])
}
