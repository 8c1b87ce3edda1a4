import type { Category } from '../../../domain/finding-terms.ts'
import { categoryCodes } from '../../findings/public.ts'

/** What a finding is counted as, in the numbers of its column `cell`: standing + 8 * product + 32 * depth. */
const standings = { silenced: 1, open: 2, fixed: 3, ignored: 4, provisionallyIgnored: 5, ended: 6 } as const
/** 'ai' counts as code. */
const products = { code: 0, sca: 1, secrets: 2 } as const
/** Each is part of the one before. */
const stages = { allFindings: 1, possiblyExploitable: 2, internetExposed: 3, priorityFindings: 4 } as const

const mostStanding = 6
const mostDepth = 4

export type CountedState = keyof typeof standings
export type Product = keyof typeof products
export type Stage = keyof typeof stages

export const countedStateNames = Object.keys(standings) as CountedState[]
/** What was left when its pull request ended is in no bucket: it was opened, and nothing more became of it. */
export const shownStandings = countedStateNames.filter((name) => name !== 'ended')
/** All but the silenced. */
export const openedStandings = countedStateNames.filter((name) => name !== 'silenced')
export const productNames = Object.keys(products) as Product[]
export const stageNames = Object.keys(stages) as Stage[]

/** The cells of findings that pull requests introduced and that stand as one of these. */
export function cellsInState(wanted: readonly CountedState[]): number[] {
  return cells(({ standing }) => wanted.some((name) => standings[name] === standing))
}

/** The cells of findings that have come as far as this stage of the funnel. */
export function cellsOfStage(stage: Stage, product?: Product): number[] {
  return cells((cell) => cell.depth >= stages[stage] && (product === undefined || cell.product === products[product]))
}

function cells(wanted: (cell: { standing: number; product: number; depth: number }) => boolean): number[] {
  const found: number[] = []
  for (let standing = 0; standing <= mostStanding; standing++)
    for (const product of Object.values(products))
      for (let depth = 0; depth <= mostDepth; depth++)
        if (wanted({ standing, product, depth })) found.push(standing + 8 * product + 32 * depth)
  return found
}

export const categoryNames = Object.keys(categoryCodes) as Category[]
