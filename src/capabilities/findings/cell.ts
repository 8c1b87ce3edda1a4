import sql, { type Sql } from 'sql-template-tag'

/** What reports count a finding as is one number (its column `cell`): standing + 8 * product + 32 * depth in the funnel. */
export const stages = ['allFindings', 'possiblyExploitable', 'internetExposed', 'priorityFindings'] as const
export type Stage = (typeof stages)[number]

/** 'ai' counts as code. */
export const stageProducts = ['code', 'sca', 'secrets'] as const
export type StageProduct = (typeof stageProducts)[number]

const standings = { silenced: 1, open: 2, fixed: 3, ignored: 4, provisionallyIgnored: 5 } as const
type Standing = keyof typeof standings

export const guardrailsFigures = [
  ...(Object.keys(standings) as Standing[]),
  'totalOpened',
  'totalFixed',
] as const satisfies string[]
export type GuardrailsFigure = (typeof guardrailsFigures)[number]

/** Each stage is part of the one before. */
export function atStage(stage: Stage): Sql {
  return sql`f.cell >= ${32 * (stages.indexOf(stage) + 1)}`
}

export function ofStageProduct(product: StageProduct): Sql {
  return sql`(f.cell >> 3 & 3) = ${stageProducts.indexOf(product)}`
}

export function countedAs(figure: GuardrailsFigure): Sql {
  if (figure === 'totalOpened') return sql`(f.cell & 7) > ${standings.silenced}`
  return sql`(f.cell & 7) = ${standings[figure === 'totalFixed' ? 'fixed' : figure]}`
}
